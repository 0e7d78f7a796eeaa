import { fromEventObservable, setup } from 'xstate';
import { assign, spreading } from './assign.ts';
import type { Boot, Disruption, HostStatus, RunEvent, RunInput } from './events.ts';
import type { Line } from './lines.ts';
import { LOCK_ANNOTATION, type LockObject, verdict } from './lock.ts';
import { draw } from './random.ts';

export const BACKOFF_FIRST_MS = 1_000;
export const BACKOFF_MAX_MS = 60_000;
/** Width of the standby draw for each node that may still be waiting. */
export const STANDBY_SLOT_MS = 32;
export const STANDBY_SLOT_MAX_MS = 512;
/** Width of the spread of the first reads for each node of the DaemonSet. */
export const SPREAD_SLOT_MS = 25;
export const DEADLINE_ERROR = 'Failed to acquire kube lock: context deadline exceeded';

export interface RunContext extends RunInput {
  lock: LockObject;
  /** The next wait of a backoff. */
  backoffMs: number;
  /** The wait that is running, or ran last. */
  waitMs: number;
  /**
   * The resourceVersion of an acquire that got no answer: it may have been carried out, or still
   * be. Only a read of another version, or of this node as the holder, settles it.
   */
  lostUpdateVersion: string | null;
  /** A release got no answer: it may have been carried out. */
  releaseLost: boolean;
  /**
   * Width of the standby draw for each competitor. An acquire that came too late doubles it: then
   * changes take longer to get to all nodes than it takes the next node to try.
   */
  standbySlotMs: number;
  /** The version that the last acquire was sent with. */
  updateVersion: string;
  /** The watch has ended while an acquire was out. */
  watchEnded: boolean;
  /** Holders other than this node seen so far: nodes that will not compete any more. */
  seen: string[];
  status: HostStatus | null;
  /** Where an interrupted run goes on; null in a run that was never interrupted. */
  resumeAt:
    | 'acquiring'
    | 'upgrading'
    | 'reporting'
    | 'draining'
    | 'rebooting'
    | 'proving'
    | 'rebooted'
    | 'undoing'
    | 'uncordoning'
    | 'releasing'
    | null;
  /** This program has cordoned the node, or may have. */
  isCordoned: boolean;
  /** All pods that have to go are gone. */
  isDrained: boolean;
  /** The pods that cannot be evicted for now. */
  blocked: { pod: string; budget: string | null; message: string }[];
  /** The mark of the reboot, or null; `at` '' while it is not known whether it was written. */
  mark: { at: string; atMs: number } | null;
  /** The host has rebooted in this run, into this boot. */
  rebooted: Boot | null;
  /** A reboot is required and kept for the next window. */
  isRebootKept: boolean;
  isWindowClosed: boolean;
  /** The lock is not this node's any more, or never was in this run. */
  isUnlocked: boolean;
  /** Why the run failed; null while it has not. */
  error: string | null;
}

/** What a lock actor is given. `lock` is the object last read. */
export interface LockActorInput {
  node: string;
  namespace: string;
  daemonSet: string;
  lock: LockObject;
}

export interface ReportInput {
  node: string;
  status: HostStatus;
  error: string | null;
  /** Why the node could not be drained, though the upgrade went well. */
  drainError?: string;
}

export interface UpgradeInput {
  node: string;
  /** Adopt a unit that is still running instead of starting a second one. */
  resumed: boolean;
}

/** What an actor of the Node is given. */
export interface NodeInput {
  node: string;
}

export interface DrainInput extends NodeInput {
  disruption: Disruption;
}

export interface MarkInput extends NodeInput {
  /** The boot that is about to end; '' where it is not known. */
  bootId: string;
  /** Why, for people. */
  detail: string;
}

/** How a reboot ended. */
export interface ClearInput extends NodeInput {
  outcome: { kind: 'rebooted'; bootMs: number } | { kind: 'failed'; message: string };
}

/** What a run does without being told of more. */
const UPGRADE_ALONE: Disruption = {
  reboot: false,
  drain: false,
  drainBefore: 'reboot',
  hardWindow: false,
  rebootTimeoutMs: 300_000,
  drainTimeoutMs: 900_000,
  gracePeriodS: null,
  podSelector: '',
  skipWaitForDeleteTimeoutS: 0,
};

export function disruptionOf({ disruption }: Pick<RunInput, 'disruption'>): Disruption {
  return disruption ?? UPGRADE_ALONE;
}

/** A timer above 2^31-1 ms would fire at once; nothing here is that long. */
export function timerMs(delayMs: number): number {
  return Math.min(Math.max(0, delayMs), 2 ** 31 - 1);
}

/** A port without effects: replaced by `provide` live, never started by a replay. */
function port<Input>() {
  return fromEventObservable<RunEvent, Input>(() => ({
    subscribe: () => ({ unsubscribe: () => {} }),
  }));
}

export const lockInput = ({ context }: { context: RunContext }): LockActorInput => ({
  node: context.node,
  namespace: context.namespace,
  daemonSet: context.daemonSet,
  lock: context.lock,
});

const made = setup({
  actors: {
    /** Emits lock.read or api.failed, once. */
    readLock: port<LockActorInput>(),
    /** Emits lock.changed until lock.watch.ended or api.failed. */
    watchLock: port<LockActorInput>(),
    /** Emits lock.updated, lock.conflicted or api.failed, once. */
    acquireLock: port<LockActorInput>(),
    /** Emits lock.updated, lock.conflicted or api.failed, once. */
    releaseLock: port<LockActorInput>(),
    /** Emits upgrade.finished or upgrade.failed, once. */
    upgradeHost: port<UpgradeInput>(),
    /** Emits node.reported, once: a condition that cannot be written must not keep the lock. */
    reportNode: port<ReportInput>(),
    /** Emits node.cordoned or api.failed, once. */
    cordonNode: port<NodeInput>(),
    /** Emits pod.evicted, pod.blocked and pod.gone, until node.drained or drain.failed. */
    drainNode: port<DrainInput>(),
    /** Emits node.uncordoned or api.failed, once. */
    uncordonNode: port<NodeInput>(),
    /** Emits reboot.marked or api.failed, once. */
    markReboot: port<MarkInput>(),
    /** Emits reboot.requested or reboot.refused, once. */
    rebootHost: port<NodeInput>(),
    /** Emits reboot.cleared or api.failed, once. */
    clearReboot: port<ClearInput>(),
  },
  types: {
    context: {} as RunContext,
    events: {} as RunEvent,
    input: {} as RunInput,
    tags: {} as 'effect',
  },
  actions: {
    /** Live the logger's; in a replay the line is collected from what `transition` returns. */
    log: (_, _line: Line) => {},
    remember: assign(({ context, event }) => {
      if (event.type !== 'lock.read' && event.type !== 'lock.changed') return {};
      const { value } = event.lock;
      const isNew = value !== '' && value !== context.node && !context.seen.includes(value);
      const isSettled = event.lock.resourceVersion !== context.lostUpdateVersion;
      return {
        lock: event.lock,
        nodes: event.lock.nodes ?? context.nodes,
        seen: isNew ? [...context.seen, value] : context.seen,
        lostUpdateVersion: isSettled ? null : context.lostUpdateVersion,
      };
    }),
    /** A successful read proves the API server is back: the next failure starts at 1 s again. */
    resetBackoff: assign({ backoffMs: BACKOFF_FIRST_MS }),
    /** An acquire without an answer may have been carried out. */
    loseUpdate: assign(({ context }) => ({ lostUpdateVersion: context.updateVersion })),
    loseRelease: assign({ releaseLost: true }),
    /**
     * All nodes tick at the same time: who reads first takes the lock, and who reads a little
     * later sees it taken instead of losing an update. A quarter of the window at most.
     */
    drawSpreadWait: assign(({ context }) => {
      const { value, seed } = draw(context.seed);
      const most = (context.deadlineInMs ?? Number.POSITIVE_INFINITY) / 4;
      return { seed, waitMs: value * Math.min(context.nodes * SPREAD_SLOT_MS, most) };
    }),
    drawConflictWait: assign(({ context }) => {
      const { value, seed } = draw(context.seed);
      return { seed, waitMs: 10 + value * 10 };
    }),
    drawStandbyWait: assign(({ context }) => {
      const { value, seed } = draw(context.seed);
      const competitors = Math.max(1, context.nodes - context.seen.length);
      return { seed, waitMs: competitors > 1 ? value * competitors * context.standbySlotMs : 0 };
    }),
    widenStandby: assign(({ context }) => ({
      standbySlotMs: Math.min(context.standbySlotMs * 2, STANDBY_SLOT_MAX_MS),
    })),
    interrupt: assign((_, { resumeAt }: Pick<RunContext, 'resumeAt'>) => ({ resumeAt })),
    /** The lock was taken away: what follows must not count on it. */
    loseLock: assign(({ context, event }) => ({
      isUnlocked: true,
      error: brokenLock({ context, event }),
    })),
    block: assign(({ context, event }) => {
      if (event.type !== 'pod.blocked') return {};
      const { pod, budget, message } = event;
      const others = context.blocked.filter((blocked) => blocked.pod !== pod);
      const known = context.blocked.find((blocked) => blocked.pod === pod);
      // A server that is busy in between does not hide what the pod waits for.
      if (budget === null && known && known.budget !== null) return {};
      return { blocked: [...others, { pod, budget, message }] };
    }),
    unblock: assign(({ context, event }) => ({
      blocked: context.blocked.filter(({ pod }) => !('pod' in event) || pod !== event.pod),
    })),
    mark: assign(({ event }) =>
      event.type === 'reboot.marked' ? { mark: { at: event.at, atMs: event.atMs } } : {},
    ),
    unmark: assign({ mark: null }),
    keepReboot: assign({ isRebootKept: true }),
    rememberReboot: assign(({ context, event }) => ({
      rebooted: event.type === 'run.resumed' ? (event.boot ?? null) : (context.boot ?? null),
      // Whatever was to be undone: the reboot has come after all.
      error: null,
    })),
    growBackoff: assign(({ context }) => ({
      waitMs: context.backoffMs,
      backoffMs: Math.min(context.backoffMs * 2, BACKOFF_MAX_MS),
    })),
  },
  guards: {
    isNative: ({ context }) => context.daemonSet === '',
    isAlone: ({ context }) => context.nodes <= 1,
    isMine: ({ context, event }) =>
      'lock' in event && verdict(event.lock.value, context.node) === 'acquired',
    isOwnWrite: ({ context, event }) =>
      event.type === 'lock.updated' && event.lock.value === context.node,
    isOthers: ({ context, event }) =>
      'lock' in event && verdict(event.lock.value, context.node) === 'locked',
    /** An acquire without an answer, or one whose answer was a read: the lock is this node's. */
    maybeHeld: ({ context }) =>
      context.lostUpdateVersion !== null ||
      verdict(context.lock.value, context.node) === 'acquired',
    /** Free, but in the very version that an acquire without an answer was sent with: it may still land. */
    isUnsettled: ({ context, event }) =>
      'lock' in event && event.lock.resourceVersion === context.lostUpdateVersion,
    /** An answer that says no: unlike none, or a server's own trouble, it settles the request. */
    wasRefused: ({ event }) =>
      event.type === 'api.failed' &&
      // A read of the watch beside it, which says nothing of the acquire.
      !/^(Get|Watch): /.test(event.message) &&
      event.code !== undefined &&
      event.code >= 400 &&
      event.code < 500 &&
      event.code !== 408,
    watchRefused: ({ event }) => event.type === 'api.failed' && event.message.startsWith('Watch: '),
    /** The watch, still open, has already shown who won. */
    sawTaken: ({ context }) =>
      !context.watchEnded && verdict(context.lock.value, context.node) === 'locked',
    /** The watch, still open, has already shown the newer version, and that one is free. */
    sawNewer: ({ context }) =>
      !context.watchEnded &&
      context.lock.value === '' &&
      context.lock.resourceVersion !== context.updateVersion,
    hasFailed: ({ context }) => context.error !== null,
    rebootRequired: ({ context }) => context.status?.rebootRequired === true,
    rebootUnknown: ({ context }) => context.status?.rebootUnknown !== undefined,
    mayReboot: ({ context }) => disruptionOf(context).reboot,
    hasRebooted: ({ context }) => context.rebooted !== null,
    isCordoned: ({ context }) => context.isCordoned,
    isDrained: ({ context }) => context.isDrained,
    isUnlocked: ({ context }) => context.isUnlocked,
    isMarked: ({ context }) => context.mark !== null,
    isUpgraded: ({ context }) => context.status !== null,
    mustDrain: ({ context }) =>
      disruptionOf(context).drain && context.daemonSet !== '' && !context.isDrained,
    /** With --drain-before=upgrade, and not yet done. */
    mustDrainFirst: ({ context }) => {
      const { drain, drainBefore } = disruptionOf(context);
      return drain && drainBefore === 'upgrade' && context.daemonSet !== '' && !context.isDrained;
    },
    /** The node is drained for the upgrade, which is still to come. */
    isDrainFirst: ({ context }) => context.status === null && context.isRebootPending !== true,
    isWindowOver: ({ context }) => disruptionOf(context).hardWindow && context.isWindowClosed,
    isKeptFromBefore: ({ context }) => context.isRebootPending === true,
    /** An earlier run kept it for this window, and it has not come about since. */
    isRebootPending: ({ context }) =>
      context.isRebootPending === true &&
      disruptionOf(context).reboot &&
      context.rebooted === null &&
      context.status === null,
    /** The host was rebooted for this very cause, and nothing was installed since. */
    isRepeated: ({ context: { lastReboot, boot, rebooted, status } }) => {
      const isSame =
        lastReboot !== undefined &&
        lastReboot.bootId === boot?.bootId &&
        lastReboot.cause === (status?.rebootMessage ?? '') &&
        // Required since another moment: somebody else has installed what asks for it.
        lastReboot.sinceMs === status?.sinceMs;
      return status?.changed === false && (rebooted !== null || isSame);
    },
  },
  delays: {
    drain: ({ context }) => timerMs(disruptionOf(context).drainTimeoutMs),
    wait: ({ context }) => context.waitMs,
  },
});
export const machineSetup = { ...made, assign: spreading(made.assign) };

export const log = (line: Line) => ({ type: 'log' as const, params: line });
/** The transition of a state whose process died: it goes on at `resumeAt`. */
export const interruptedAt = (resumeAt: RunContext['resumeAt']) => ({
  target: '#run.interrupted',
  actions: { type: 'interrupt' as const, params: { resumeAt } },
});
/** Told to stop with the lock held: the next process goes on, and systemd with its upgrade. */
export const leftAt = (resumeAt: RunContext['resumeAt']) => ({
  target: '#run.interrupted',
  actions: [log({ id: 'run.left' }), { type: 'interrupt' as const, params: { resumeAt } }],
});
export const logTest = {
  type: 'log' as const,
  params: ({ context, event }: { context: RunContext; event: RunEvent }): Line => {
    const value = 'lock' in event ? event.lock.value : context.lock.value;
    return { id: 'lock.test', value, verdict: verdict(value, context.node) };
  },
};
export const brokenLock = ({ context, event }: { context: RunContext; event: RunEvent }) =>
  `Broken lock: ${LOCK_ANNOTATION}=${'lock' in event ? event.lock.value : ''}, expected ${context.node}`;
export const logMessage = (
  id:
    | 'lock.conflict'
    | 'lock.wait.err'
    | 'lock.watch.ended'
    | 'run.acquire.retrying'
    | 'run.release.retrying'
    | 'drain.retrying'
    | 'reboot.retrying',
) => ({
  type: 'log' as const,
  params: ({ event }: { event: RunEvent }): Line => ({
    id,
    message: 'message' in event ? event.message : '',
  }),
});
export const conflictEntry = [
  { type: 'drawConflictWait' as const },
  machineSetup.raise({ type: 'conflict.elapsed' }, { id: 'conflict', delay: 'wait' }),
];
export const updateEntry = [
  log({ id: 'lock.acquire' }),
  {
    type: 'log' as const,
    params: ({ context }: { context: RunContext }): Line => ({
      id: 'lock.set',
      value: context.node,
    }),
  },
  log({ id: 'lock.update' }),
  machineSetup.assign({ updateVersion: ({ context }) => context.lock.resourceVersion }),
];

/** The run has failed with the lock held. */
export const logFailure = {
  type: 'log' as const,
  params: ({ context }: { context: RunContext }): Line => ({
    id: 'run.upgrade.failed',
    message: context.error ?? '',
  }),
};

/** A backoff's entry: the line of why, then the wait. */
export const backoffEntry = (id: Parameters<typeof logMessage>[0]) => [
  logMessage(id),
  { type: 'growBackoff' as const },
  machineSetup.raise({ type: 'backoff.elapsed' }, { id: 'backoff', delay: 'wait' }),
];
