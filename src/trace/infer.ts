import type { HostStatus, RunEvent } from '../../machines/events.ts';
import { type RunSnapshot, stateName } from '../../machines/fold.ts';
import type { Line } from '../../machines/lines.ts';
import type { Entry } from './parse.ts';

/** A text log tells no versions, but a read that settles an acquire shows one. */
const LATER = 'later';
const NO_STATUS = { rebootRequired: false, detail: '' };

/**
 * The events that may have written the line at `entries[index]`, most likely first.
 * A log does not hold events, only what they caused; what an event carried is looked up in the
 * lines that follow (the value in `test`, the version in `watch`).
 */
export function candidates(entries: Entry[], index: number, snapshot: RunSnapshot): RunEvent[] {
  const entry = entries[index];
  if (!entry) return [];
  const { line } = entry;
  // The run's error stands at its end without any prefix, so only the context can recognise it.
  if (entry.text === snapshot.context.error) {
    const silent = silentEvent(entries, index, snapshot);
    if (snapshot.matches('releasing')) return [updated(snapshot.context.node)];
    if (silent) return [silent];
  }
  if (!line && isLoss(entry) && isConfirming(snapshot))
    return [confirmed(entries, index, snapshot)];
  if (!line) return [];
  switch (line.id) {
    case 'lock.wait':
      return [{ type: 'lock.read', lock: lockAhead(entries, index) }];
    case 'lock.test':
      return [
        { type: 'lock.changed', lock: { value: line.value, resourceVersion: '' } },
        { type: 'lock.read', lock: { value: line.value, resourceVersion: '' } },
      ];
    case 'lock.release': {
      const clear = lineAhead(entries, index, 'lock.clear');
      return [{ type: 'lock.read', lock: { value: clear?.value ?? '', resourceVersion: LATER } }];
    }
    case 'lock.acquire': {
      const resourceVersion = snapshot.context.lostUpdateVersion ?? LATER;
      return [{ type: 'lock.read', lock: { value: '', resourceVersion } }];
    }
    case 'lock.clear':
      return [updated(snapshot.context.node)];
    case 'lock.wait.ok':
      return [{ type: 'standby.elapsed' }];
    case 'lock.watch.ended':
      return [{ type: 'lock.watch.ended', message: line.message }];
    case 'run.acquire.retrying':
      return [{ type: 'api.failed', message: line.message, ...refusal(entries, index) }];
    case 'lock.wait.err':
    case 'run.release.retrying':
      return [{ type: 'api.failed', message: line.message }];
    case 'drain.retrying':
    case 'reboot.retrying': {
      const isDrain = ['draining', 'uncordoning'].some((name) =>
        snapshot.matches({ locked: name as 'draining' }),
      );
      // Where the other one is said, something without a line has come first.
      if (isDrain !== (line.id === 'drain.retrying')) return [];
      if (isConfirming(snapshot) && isUndoneAhead(entries, index)) return [];
      return [{ type: 'api.failed', message: line.message }];
    }
    case 'lock.conflict':
      return [{ type: 'lock.conflicted', message: line.message }];
    case 'lock.get':
      return [
        { type: 'spread.elapsed' },
        { type: 'conflict.elapsed' },
        { type: 'backoff.elapsed' },
      ];
    case 'run.deadline':
      return [{ type: 'deadline.reached' }];
    case 'run.stopped':
    case 'run.left':
      return [{ type: 'stop.requested' }];
    case 'host.output':
      return [{ type: 'upgrade.output', text: line.text }];
    case 'run.drain.first':
    case 'run.reboot.pending':
    case 'run.upgrading':
      return [updated(snapshot.context.node)];
    case 'run.done':
      return [updated('')];
    case 'node.condition':
      return line.error === null
        ? [
            {
              type: 'upgrade.finished',
              status: { ...line.status, ...verdictAhead(entries, index) },
            },
          ]
        : [{ type: 'upgrade.failed', status: line.status ?? NO_STATUS, message: line.error }];
    case 'node.skipped': {
      // Without Kubernetes the result stands only in the line that follows.
      const verdictLine = resultAhead(entries, index);
      if (verdictLine?.id === 'run.upgrade.failed') {
        const { message } = verdictLine;
        return [{ type: 'upgrade.failed', status: NO_STATUS, message }];
      }
      const rebootRequired = REQUIRED.some((id) => id === verdictLine?.id);
      const verdict = verdictAhead(entries, index);
      return [{ type: 'upgrade.finished', status: { rebootRequired, detail: '', ...verdict } }];
    }
    case 'run.no-reboot':
    case 'run.reboot.skipped':
    case 'run.reboot.unknown':
    case 'run.reboot.repeated':
    case 'run.reboot.again':
    case 'run.reboot.draining':
    case 'run.reboot.drained':
    case 'run.reboot.undrained':
      return [{ type: 'node.reported' }];
    case 'run.reboot.kept':
      if (isConfirming(snapshot) && isUndoneAhead(entries, index)) return [];
      // First the window, without a line.
      return snapshot.matches({ locked: 'reporting' }) && !snapshot.context.isWindowClosed
        ? []
        : [{ type: 'window.closed' }, { type: 'node.reported' }];
    case 'run.upgrade.failed': {
      const { message } = line;
      if (message.endsWith('the window was over')) return [{ type: 'window.closed' }];
      return [
        { type: 'node.reported' },
        message.includes('not done within')
          ? { type: 'drain.expired' }
          : { type: 'drain.failed', message },
        message.includes('is still up')
          ? { type: 'reboot.expired' }
          : { type: 'reboot.refused', message },
      ];
    }
    case 'drain.begin':
      return [
        { type: 'lock.read', lock: { value: snapshot.context.node, resourceVersion: LATER } },
      ];
    case 'drain.command':
      return [{ type: 'node.cordoned', before: false }];
    case 'drain.evicted':
      return [{ type: 'pod.evicted', pod: line.pod }];
    case 'drain.gone':
      return [{ type: 'pod.gone', pod: line.pod }];
    case 'drain.blocked': {
      const { id: _, ...blocked } = line;
      return [{ type: 'pod.blocked', ...blocked }];
    }
    case 'drain.output': {
      const [next] = entries.slice(index + 1).flatMap((after) => after.line ?? []);
      return next?.id === 'run.upgrade.failed'
        ? [{ type: 'drain.failed', message: next.message, output: line.text }]
        : [{ type: 'node.drained', output: line.text }];
    }
    case 'node.uncordoned':
      return [{ type: 'node.uncordoned', done: true }];
    case 'reboot.marked':
      return [{ type: 'reboot.marked', at: line.at, atMs: 0 }];
    case 'reboot.shutdown':
      return [{ type: 'reboot.requested' }];
    default:
      return [];
  }
}

/** The lines that say that a reboot is required. */
const REQUIRED = [
  'run.reboot.skipped',
  'run.reboot.repeated',
  'run.reboot.again',
  'run.reboot.kept',
  'run.reboot.draining',
  'run.reboot.drained',
  'run.reboot.undrained',
  'reboot.done',
] as const;

/** What a status said beyond its line, as the line after it shows. */
function verdictAhead(entries: Entry[], index: number): Partial<HostStatus> {
  const unknown = lineAhead(entries, index, 'run.reboot.unknown');
  if (unknown) return { rebootUnknown: unknown.message };
  const repeated = lineAhead(entries, index, 'run.reboot.repeated');
  return repeated ? { changed: false, rebootMessage: repeated.cause } : {};
}

/**
 * The event that has no line of its own and stands before the one at `index`; null: there is none
 * in this state.
 */
export function silentEvent(
  entries: Entry[],
  index: number,
  snapshot: RunSnapshot,
): RunEvent | null {
  const { context } = snapshot;
  if (snapshot.matches('locked') && stateName(snapshot.value).endsWith('.backoff')) {
    return { type: 'backoff.elapsed' };
  }
  if (snapshot.matches({ locked: 'reporting' })) {
    const isKept = entries[index]?.line?.id === 'run.reboot.kept' && !context.isWindowClosed;
    return isKept ? { type: 'window.closed' } : null;
  }
  if (isConfirming(snapshot)) return confirmed(entries, index, snapshot);
  if (snapshot.matches({ locked: { rebooting: 'marking' } })) {
    return context.isDrained
      ? null
      : { type: 'reboot.marked', at: markAhead(entries, index), atMs: 0 };
  }
  if (
    snapshot.matches({ locked: { undoing: 'clearing' } }) ||
    snapshot.matches({ locked: { rebooted: 'clearing' } })
  ) {
    return { type: 'reboot.cleared' };
  }
  // The original leaves its node cordoned.
  if (snapshot.matches({ locked: { uncordoning: 'patching' } })) {
    return { type: 'node.uncordoned', done: false };
  }
  return snapshot.matches({ locked: 'undrained' }) ? { type: 'node.reported' } : null;
}

/** A mark without a line of its own is named where its reboot is proven. */
export function markAhead(entries: Entry[], index: number): string {
  for (const { line } of entries.slice(index)) {
    if (line?.id === 'reboot.done') return line.at;
    if (line !== null && line.id !== 'run.resuming' && BEGINNINGS.includes(line.id)) break;
  }
  return '';
}

/** A reboot that was kept is only undone where its mark had been asked for. */
function isUndoneAhead(entries: Entry[], index: number): boolean {
  const lines = entries.slice(index).flatMap(({ line }) => line ?? []);
  const at = lines.findIndex(({ id }) => id !== 'reboot.retrying');
  return lines[at]?.id === 'run.reboot.kept' && lines[at + 1]?.id === 'reboot.retrying';
}

function isConfirming(snapshot: RunSnapshot): boolean {
  return (
    snapshot.matches({ locked: { draining: 'confirming' } }) ||
    snapshot.matches({ locked: { rebooting: 'confirming' } })
  );
}

/** The run's last words where the lock was taken away. */
const LOSS = /^Broken lock: [^=]*=(.*), expected /;

function isLoss({ text }: Entry): boolean {
  return LOSS.test(text);
}

/** The lock as it was read again: somebody else's where nothing follows but the end of the run. */
function confirmed(entries: Entry[], index: number, snapshot: RunSnapshot): RunEvent {
  const { context } = snapshot;
  const rest = entries.slice(index);
  const [first] = rest;
  const isUncordoning =
    first?.line?.id === 'node.uncordoned' ||
    (first?.line?.id === 'drain.retrying' && snapshot.matches({ locked: 'rebooting' }));
  const isLost = first !== undefined && (isLoss(first) || isUncordoning);
  const value = isLost ? rest.flatMap(({ text }) => LOSS.exec(text)?.[1] ?? [])[0] : undefined;
  return { type: 'lock.read', lock: { value: value ?? context.node, resourceVersion: LATER } };
}

/** The first line behind `index` that says what came of the upgrade. */
function resultAhead(entries: Entry[], index: number): Line | undefined {
  const ids: Line['id'][] = [
    ...REQUIRED,
    'run.upgrade.failed',
    'run.no-reboot',
    'run.reboot.unknown',
  ];
  return entries
    .slice(index + 1, index + 1 + LOOK_AHEAD)
    .flatMap(({ line }) => line ?? [])
    .find(({ id }) => ids.includes(id));
}

/** The lines that a run begins with. */
export const BEGINNINGS: Line['id'][] = [
  'run.acquiring',
  'run.native',
  'run.adopting',
  'run.recovering',
];

/**
 * A text log does not tell whether a failed acquire was refused or got no answer. It shows at the
 * run's end: what may still be held is released there.
 */
function refusal(entries: Entry[], index: number): { code?: number } {
  const rest = entries.slice(index + 1);
  const end = rest.findIndex(({ line }) => line !== null && ENDS.includes(line.id));
  const next = rest[end + 1];
  if (end < 0 || !next || rest[end]?.line?.id === 'run.upgrading') return {};
  return next.line?.id === 'run.releasing' ? {} : { code: 400 };
}

const ENDS: Line['id'][] = ['run.deadline', 'run.stopped', 'run.upgrading', 'run.acquiring'];

function updated(value: string): RunEvent {
  return { type: 'lock.updated', lock: { value, resourceVersion: '' } };
}

/** The lock as the `test` after a `wait` shows it, with the version of a `watch` right behind. */
function lockAhead(entries: Entry[], index: number): { value: string; resourceVersion: string } {
  const test = lineAhead(entries, index, 'lock.test');
  const watch = test?.verdict === 'locked' ? lineAhead(entries, index, 'lock.watch') : undefined;
  return { value: test?.value ?? '', resourceVersion: watch?.resourceVersion ?? '' };
}

/** How far an event's own lines reach at most; other lines may stand in between. */
const LOOK_AHEAD = 6;

function lineAhead<Id extends Line['id']>(
  entries: Entry[],
  index: number,
  id: Id,
): Extract<Line, { id: Id }> | undefined {
  for (const { line } of entries.slice(index + 1, index + 1 + LOOK_AHEAD)) {
    if (line?.id === id) return line as Extract<Line, { id: Id }>;
  }
  return undefined;
}
