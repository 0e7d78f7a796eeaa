import type { Disruption, RunInput } from '../../machines/events.ts';
import type { Line } from '../../machines/lines.ts';
import { disruptionOf } from '../../machines/setup.ts';
import { BEGINNINGS } from './infer.ts';
import type { Entry } from './parse.ts';

/** What only a run that may reboot writes. */
const REBOOTING: Line['id'][] = [
  'run.reboot.repeated',
  'run.reboot.again',
  'run.reboot.kept',
  'run.reboot.pending',
  'run.reboot.draining',
  'run.reboot.drained',
  'run.reboot.undrained',
  'reboot.done',
];
const DRAINING: Line['id'][] = [
  'run.reboot.draining',
  'run.drain.first',
  'drain.begin',
  'drain.retrying',
];

/**
 * A text log does not hold a run's options, only what they led to. `ahead` begins with the run's
 * first line.
 */
export function disruptionAhead(ahead: Entry[]): Partial<RunInput> {
  const own = ownEntries(ahead);
  const has = (...ids: Line['id'][]) =>
    own.some(({ line }) => line !== null && ids.includes(line.id));
  if (!has(...REBOOTING, ...DRAINING)) return {};
  const repeated = own.find(({ line }) => line?.id === 'run.reboot.repeated')?.line;
  const disruption: Disruption = {
    ...disruptionOf({}),
    reboot: has(...REBOOTING),
    drain: has(...DRAINING),
    drainBefore: has('run.drain.first') ? 'upgrade' : 'reboot',
    hardWindow: has('run.reboot.kept', 'run.reboot.pending'),
    ...timeoutOf(own, 'drainTimeoutMs', /not done within ([\d.]+) s/),
    ...timeoutOf(own, 'rebootTimeoutMs', /the host is still up ([\d.]+) s after/),
  };
  return {
    disruption,
    isRebootPending: has('run.reboot.pending'),
    ...(repeated?.id === 'run.reboot.repeated'
      ? { lastReboot: { bootId: 'before', cause: repeated.cause } }
      : {}),
  };
}

/** What a run that cleans up has found, as it shows in what it does. */
export function leftoverAhead(ahead: Entry[]): Partial<RunInput> {
  const [first] = ahead;
  const own = ownEntries(ahead);
  const find = <Id extends Line['id']>(id: Id) =>
    own.find(({ line }) => line?.id === id)?.line as Extract<Line, { id: Id }> | undefined;
  const isAdopting = first?.line?.id === 'run.adopting';
  if (first?.line?.id !== 'run.recovering' && !isAdopting) return {};
  const done = find('reboot.done');
  // Or only by the process that goes on with it.
  const resuming = find('run.resuming');
  const isDoneBefore = done !== undefined && (!resuming || lineOrder(own, done, resuming));
  const isUncordoned = find('node.uncordoned') !== undefined;
  // An upgrade that is adopted may have left no more than itself.
  if (isAdopting && !isUncordoned) return {};
  const reboot =
    !isAdopting && (done || find('run.upgrade.failed'))
      ? { at: done?.at ?? '', atMs: 0, bootId: isDoneBefore ? 'earlier' : 'before', leftMs: 0 }
      : null;
  // Something there was.
  const isCordoned = isUncordoned || reboot === null;
  const boot = { bootId: 'before', bootMs: done?.bootMs ?? 0, atMs: 0 };
  return { boot, leftover: { isLocked: find('run.releasing') !== undefined, isCordoned, reboot } };
}

function lineOrder(entries: Entry[], first: Line, second: Line): boolean {
  const at = (one: Line) => entries.findIndex(({ line }) => line === one);
  return at(first) < at(second);
}

/** Up to the next run. */
function ownEntries(ahead: Entry[]): Entry[] {
  let before: Line['id'] | null = null;
  for (const [index, { line }] of ahead.entries()) {
    if (line === null) continue;
    // A run that goes on with its waiting begins as a new one does.
    const isNew = index > 0 && BEGINNINGS.includes(line.id) && before !== 'run.resuming';
    if (isNew) return ahead.slice(0, index);
    before = line.id;
  }
  return ahead;
}

function timeoutOf(
  own: Entry[],
  name: 'drainTimeoutMs' | 'rebootTimeoutMs',
  pattern: RegExp,
): Partial<Disruption> {
  for (const { text } of own) {
    const seconds = pattern.exec(text)?.[1];
    if (seconds !== undefined) return { [name]: Number(seconds) * 1_000 };
  }
  return {};
}
