import type { RunEvent, RunInput } from '../../machines/events.ts';
import { advance, type RunSnapshot, start } from '../../machines/fold.ts';
import type { Entry } from './parse.ts';

/** A run as its process's death leaves it; null where it had ended. */
export function interrupted(snapshot: RunSnapshot): RunSnapshot | null {
  if (snapshot.value === 'interrupted') return snapshot;
  return advance(snapshot, { type: 'run.interrupted' })?.snapshot ?? null;
}

/**
 * An interrupted run whose beginning the log does not hold: where it had been shows in what it
 * does next. `index` is the entry that says that a run goes on.
 */
export function guessInterrupted(entries: Entry[], index: number, input: RunInput): RunSnapshot {
  let { snapshot } = start(input);
  for (const event of [
    ...eventsBefore(entries, index, input),
    { type: 'run.interrupted' } as const,
  ]) {
    snapshot = advance(snapshot, event)?.snapshot ?? snapshot;
  }
  return snapshot;
}

function eventsBefore(entries: Entry[], index: number, { daemonSet, node }: RunInput): RunEvent[] {
  const next = entries.slice(index + 1).find(({ line }) => line !== null)?.line;
  // In native mode a run begins with its upgrade.
  const upgrading: RunEvent[] =
    daemonSet === ''
      ? []
      : [
          { type: 'lock.read', lock: { value: '', resourceVersion: '' } },
          { type: 'lock.updated', lock: { value: node, resourceVersion: '' } },
        ];
  switch (next?.id) {
    case 'run.acquiring':
      return [];
    case 'node.condition':
      return [...upgrading, upgraded(next.error, next.status)];
    case 'node.skipped':
      return [...upgrading, upgraded(errorAhead(entries, index))];
    case 'run.releasing':
      return [...upgrading, upgraded(errorAtEnd(entries, index)), { type: 'node.reported' }];
    default:
      return upgrading;
  }
}

function upgraded(error: string | null, status = { rebootRequired: false, detail: '' }): RunEvent {
  return error === null
    ? { type: 'upgrade.finished', status }
    : { type: 'upgrade.failed', status, message: error };
}

function errorAhead(entries: Entry[], index: number): string | null {
  const line = entries.slice(index + 1, index + 4).find((entry) => entry.line !== null)?.line;
  return line?.id === 'run.upgrade.failed' ? line.message : null;
}

/** A failed run ends with its error, in words of its own, where another one ends with Done. */
function errorAtEnd(entries: Entry[], index: number): string | null {
  const rest = entries.slice(index + 1);
  const update = rest.findLastIndex(({ line }) => line?.id === 'lock.update');
  const last = update < 0 ? undefined : rest[update + 1];
  return last && last.line === null ? last.text : null;
}
