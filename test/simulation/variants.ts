import { COST } from './judge.ts';

/** The program broken on purpose: in `file`, `find` becomes `replace`. */
export interface Variant {
  file: string;
  find: string;
  replace: string;
  /** The invariants that it violates, whichever comes up first. */
  violates: number[];
}

/** `source` with `replace` in it; null where `find` is not there exactly once. */
export function replaceOnce(
  source: string,
  { find, replace }: Pick<Variant, 'find' | 'replace'>,
): string | null {
  return source.split(find).length === 2 ? source.replace(find, () => replace) : null;
}

/** What the simulation has to find, each by itself. */
export const VARIANTS: Record<string, Variant> = {
  'the precondition is dropped': {
    file: 'src/kube/daemonset.ts',
    find: 'return { metadata: { resourceVersion, annotations',
    replace: 'return { metadata: { annotations',
    violates: [1],
  },
  'the end of a watch is taken for an acquired lock': {
    file: 'machines/acquiring.ts',
    find: "'lock.watch.ended': { target: 'get',",
    replace: "'lock.watch.ended': { target: '#run.locked',",
    violates: [1, 2],
  },
  'a conflict is taken for an acquired lock': {
    file: 'machines/acquiring.ts',
    find: "'lock.conflicted': { target: 'conflict',",
    replace: "'lock.conflicted': { target: '#run.locked',",
    violates: [1, 2],
  },
  'an error is taken for an acquired lock': {
    file: 'machines/acquiring.ts',
    find: "{ target: '#run.acquiring.backoff', actions: { type: 'loseUpdate' as const } },",
    replace: "{ target: '#run.locked', actions: { type: 'loseUpdate' as const } },",
    violates: [1, 2],
  },
  'the deadline is not set again after a restart': {
    file: 'src/journal/live.ts',
    find: 'const deadlineInMs = deadlineMs === null ? null',
    replace: 'const deadlineInMs = deadlineMs !== 0 ? null',
    violates: [3],
  },
  'the deadline is not looked at while the lock is held by others': {
    file: 'machines/acquiring.ts',
    find: "{ target: '#run.failed', actions: watchTimedOut },",
    replace: "{ target: '#run.acquiring.backoff', actions: watchTimedOut },",
    violates: [3],
  },
  'the lock is released ahead of the uncordon': {
    file: 'machines/locked.ts',
    find: "{ guard: 'isCordoned', target: 'uncordoning' },",
    replace: "{ guard: 'isUnlocked', target: 'uncordoning' },",
    violates: [1, 5],
  },
  'a lost answer is forgotten': {
    file: 'machines/setup.ts',
    find: 'context.lostUpdateVersion !== null ||',
    replace: 'context.lostUpdateVersion === 0 ||',
    violates: [4],
  },
  'an acquire that may still land is not fenced off': {
    file: 'machines/releasing.ts',
    find: "{ guard: 'isUnsettled', target: 'fence', actions: 'remember' },",
    replace: '',
    violates: [4],
  },
  'a release clears whatever stands there': {
    file: 'machines/releasing.ts',
    find: "guard: 'isMine',",
    replace: 'guard: () => true,',
    violates: [1],
  },
  'a failed upgrade keeps the lock': {
    file: 'machines/locked.ts',
    find: "{ guard: 'hasFailed', target: 'leaving', actions: logFailure },",
    replace: "{ guard: 'hasFailed', target: '#run.ended', actions: logFailure },",
    violates: [4],
  },
  'the lock is not read again ahead of a drain': {
    file: 'machines/draining.ts',
    find: "{ guard: 'isMine', target: 'cordoning',",
    replace: "{ guard: () => true, target: 'cordoning',",
    violates: [1],
  },
  'the lock is not read again ahead of a reboot': {
    file: 'machines/rebooting.ts',
    find: "{ guard: 'isMine', target: 'marking',",
    replace: "{ guard: () => true, target: 'marking',",
    violates: [1],
  },
  'a run that goes on does not look at its lock': {
    file: 'machines/run.ts',
    find: "{ target: 'locked.verifying', actions: [log({ id: 'run.resuming' }), ...goOn] },",
    replace: "{ target: 'locked.upgrading', actions: [log({ id: 'run.resuming' }), ...goOn] },",
    violates: [1],
  },
  'a cordon of somebody else is taken for its own': {
    file: 'src/kube/cordon.ts',
    find: 'spec?.unschedulable === true\n        ? null',
    replace: 'spec === null\n        ? null',
    violates: [5],
  },
  'a failed drain leaves the node cordoned': {
    file: 'machines/locked.ts',
    find: "'node.reported': 'leaving',",
    replace: "'node.reported': '#run.releasing',",
    violates: [1, 5],
  },
  'a reboot that never comes is waited for': {
    file: 'machines/rebooting.ts',
    find: "'stop.requested': interruptedAt('proving'),\n        'reboot.expired': expired,\n      },\n    },\n  },",
    replace: "'stop.requested': interruptedAt('proving'),\n      },\n    },\n  },",
    violates: [7],
  },
  'a failed run ends the service': {
    file: 'src/service/service.ts',
    find: 'isBusy: runner.isBusy,',
    replace: "isBusy: () => runner.isBusy() || runner.snapshot()?.value === 'failed',",
    violates: [7],
  },
  'the journal is not flushed ahead of an effect': {
    file: 'src/journal/live.ts',
    find: 'const flush = (isEntered',
    replace: 'const flush = false && (isEntered',
    violates: [1, 4, 6, 7],
  },
  'the wake-up has no jitter': {
    file: 'machines/setup.ts',
    find: 'waitMs: competitors > 1 ? value * competitors * context.standbySlotMs : 0',
    replace: 'waitMs: competitors > 1 ? value : 0',
    violates: [COST],
  },
};
