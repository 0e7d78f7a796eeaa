import { assign, cancel, enqueueActions, fromEventObservable, raise, setup } from 'xstate';
import type { HostStatus, RunEvent, RunInput } from './events.ts';
import type { Line } from './lines.ts';
import { LOCK_ANNOTATION, type LockObject, verdict } from './lock.ts';
import { draw } from './random.ts';

export const BACKOFF_FIRST_MS = 1_000;
export const BACKOFF_MAX_MS = 60_000;
/** Width of the standby draw for each node that may still be waiting. */
export const STANDBY_SLOT_MS = 32;
/** Width of the spread of the first reads for each node of the DaemonSet. */
export const SPREAD_SLOT_MS = 25;
const TIMED_OUT = 'timed out waiting for the condition';
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
  /** The version that the last acquire was sent with. */
  updateVersion: string;
  /** The watch has ended while an acquire was out. */
  watchEnded: boolean;
  /** Holders other than this node seen so far: nodes that will not compete any more. */
  seen: string[];
  status: HostStatus | null;
  /** Where an interrupted run goes on; null in a run that was never interrupted. */
  resumeAt: 'acquiring' | 'upgrading' | 'reporting' | 'releasing' | null;
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
}

/** A port without effects: replaced by `provide` live, never started by a replay. */
function port<Input>() {
  return fromEventObservable<RunEvent, Input>(() => ({
    subscribe: () => ({ unsubscribe: () => {} }),
  }));
}

const lockInput = ({ context }: { context: RunContext }): LockActorInput => ({
  node: context.node,
  namespace: context.namespace,
  daemonSet: context.daemonSet,
  lock: context.lock,
});

const machineSetup = setup({
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
    /** `resumed`: adopt a unit that is still running instead of starting a second one. */
    upgradeHost: port<{ node: string; resumed: boolean }>(),
    /** Emits node.reported, once: a condition that cannot be written must not keep the lock. */
    reportNode: port<ReportInput>(),
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
      return { seed, waitMs: competitors > 1 ? value * competitors * STANDBY_SLOT_MS : 0 };
    }),
    interrupt: assign((_, { resumeAt }: Pick<RunContext, 'resumeAt'>) => ({ resumeAt })),
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
  },
  delays: {
    wait: ({ context }) => context.waitMs,
  },
});

const log = (line: Line) => ({ type: 'log' as const, params: line });
/** The transition of a state whose process died: it goes on at `resumeAt`. */
const interruptedAt = (resumeAt: RunContext['resumeAt']) => ({
  target: '#run.interrupted',
  actions: { type: 'interrupt' as const, params: { resumeAt } },
});
/** Told to stop with the lock held: the next process goes on, and systemd with its upgrade. */
const leftAt = (resumeAt: RunContext['resumeAt']) => ({
  target: '#run.interrupted',
  actions: [log({ id: 'run.left' }), { type: 'interrupt' as const, params: { resumeAt } }],
});
const logTest = {
  type: 'log' as const,
  params: ({ context, event }: { context: RunContext; event: RunEvent }): Line => {
    const value = 'lock' in event ? event.lock.value : context.lock.value;
    return { id: 'lock.test', value, verdict: verdict(value, context.node) };
  },
};
const brokenLock = ({ context, event }: { context: RunContext; event: RunEvent }) =>
  `Broken lock: ${LOCK_ANNOTATION}=${'lock' in event ? event.lock.value : ''}, expected ${context.node}`;
const logMessage = (
  id:
    | 'lock.conflict'
    | 'lock.wait.err'
    | 'lock.watch.ended'
    | 'run.acquire.retrying'
    | 'run.release.retrying',
) => ({
  type: 'log' as const,
  params: ({ event }: { event: RunEvent }): Line => ({
    id,
    message: 'message' in event ? event.message : '',
  }),
});

const conflictEntry = [
  { type: 'drawConflictWait' as const },
  machineSetup.raise({ type: 'conflict.elapsed' }, { id: 'conflict', delay: 'wait' }),
];
const updateEntry = [
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
const watchTimedOut = [
  log({ id: 'lock.wait.err', message: TIMED_OUT }),
  log({ id: 'run.acquire.retrying', message: TIMED_OUT }),
  log({ id: 'run.deadline' }),
  machineSetup.assign({ error: DEADLINE_ERROR }),
];
/** What ends an acquire, but for the conflict. */
const updateAnswers = {
  'lock.updated': [
    { guard: 'isOwnWrite' as const, target: '#run.locked' },
    // Carried out, and not as it was asked for: read again what it is now.
    { target: '#run.acquiring.conflict' },
  ],
  'api.failed': [
    { guard: 'wasRefused' as const, target: '#run.acquiring.backoff' },
    { target: '#run.acquiring.backoff', actions: { type: 'loseUpdate' as const } },
  ],
  'run.interrupted': {
    target: '#run.interrupted',
    actions: [{ type: 'loseUpdate' as const }, interruptedAt('acquiring').actions],
  },
  // The answer is still out: what it may have done is undone.
  'deadline.reached': {
    target: '#run.releasing',
    actions: [
      log({ id: 'run.deadline' }),
      { type: 'loseUpdate' as const },
      machineSetup.assign({ error: DEADLINE_ERROR }),
    ],
  },
  'stop.requested': {
    target: '#run.releasing',
    actions: [
      log({ id: 'run.stopped' }),
      { type: 'loseUpdate' as const },
      machineSetup.assign({ error: 'Stopped' }),
    ],
  },
};

/** One run, from `Acquiring kube lock...` to done, failed or stopped. */
export const runMachine = machineSetup.createMachine({
  id: 'run',
  context: ({ input }) => ({
    ...input,
    lock: { value: '', resourceVersion: '' },
    backoffMs: BACKOFF_FIRST_MS,
    waitMs: 0,
    lostUpdateVersion: null,
    releaseLost: false,
    updateVersion: '',
    watchEnded: false,
    seen: [],
    status: null,
    resumeAt: null,
    error: null,
  }),
  initial: 'starting',
  states: {
    starting: {
      always: [
        { guard: 'isNative', target: 'locked', actions: log({ id: 'run.native' }) },
        {
          guard: ({ context }) => context.adopt,
          target: 'locked.verifying',
          actions: [log({ id: 'run.adopting' }), assign({ resumeAt: 'upgrading' })],
        },
        { target: 'acquiring' },
      ],
    },
    acquiring: {
      description: 'Gets the cluster-wide lock, or fails at the deadline',
      entry: [
        log({ id: 'run.acquiring' }),
        enqueueActions(({ context, enqueue }) => {
          if (context.deadlineInMs === null) return;
          // A timer above 2^31-1 ms would fire at once; no window is that long.
          const delay = Math.min(context.deadlineInMs, 2 ** 31 - 1);
          enqueue.raise({ type: 'deadline.reached' }, { id: 'deadline', delay });
        }),
      ],
      exit: cancel('deadline'),
      initial: 'spread',
      on: {
        'run.interrupted': interruptedAt('acquiring'),
        'deadline.reached': [
          {
            guard: 'maybeHeld',
            target: 'releasing',
            actions: [log({ id: 'run.deadline' }), assign({ error: DEADLINE_ERROR })],
          },
          {
            target: 'failed',
            actions: [log({ id: 'run.deadline' }), assign({ error: DEADLINE_ERROR })],
          },
        ],
        'stop.requested': [
          {
            guard: 'maybeHeld',
            target: 'releasing',
            actions: [log({ id: 'run.stopped' }), assign({ error: 'Stopped' })],
          },
          { target: 'stopped', actions: log({ id: 'run.stopped' }) },
        ],
      },
      states: {
        spread: {
          description: 'A short random delay, since all nodes tick at the same time',
          entry: [
            'drawSpreadWait',
            raise({ type: 'spread.elapsed' }, { id: 'spread', delay: 'wait' }),
          ],
          exit: cancel('spread'),
          always: { guard: 'isAlone', target: 'get' },
          on: { 'spread.elapsed': { target: 'get' } },
        },
        get: {
          entry: log({ id: 'lock.get' }),
          invoke: { src: 'readLock', input: lockInput },
          on: {
            'lock.read': [
              {
                guard: 'isOthers',
                target: 'watch',
                actions: ['remember', 'resetBackoff', log({ id: 'lock.wait' }), logTest],
              },
              {
                target: 'update',
                actions: ['remember', 'resetBackoff', log({ id: 'lock.wait' }), logTest],
              },
            ],
            'api.failed': { target: 'backoff' },
          },
        },
        watch: {
          description: 'Another node holds the lock; each change is tested',
          entry: [
            {
              type: 'log',
              params: ({ context }) => ({
                id: 'lock.watch',
                resourceVersion: context.lock.resourceVersion,
              }),
            },
            assign({ watchEnded: false }),
          ],
          invoke: { src: 'watchLock', input: lockInput },
          initial: 'held',
          on: {
            'lock.watch.ended': { target: 'get', actions: logMessage('lock.watch.ended') },
            'api.failed': [
              // The watch could not even be opened: there was no wait that could end.
              { guard: 'watchRefused', target: 'backoff' },
              { target: 'backoff', actions: logMessage('lock.wait.err') },
            ],
            'deadline.reached': [
              { guard: 'maybeHeld', target: '#run.releasing', actions: watchTimedOut },
              { target: '#run.failed', actions: watchTimedOut },
            ],
          },
          states: {
            held: {
              on: {
                'lock.changed': [
                  { guard: 'isOthers', actions: ['remember', logTest] },
                  { target: 'standby', actions: ['remember', logTest, 'drawStandbyWait'] },
                ],
              },
            },
            standby: {
              description:
                'Free: a short random delay, so that not every waiting node updates at once',
              entry: raise({ type: 'standby.elapsed' }, { id: 'standby', delay: 'wait' }),
              exit: cancel('standby'),
              on: {
                'lock.changed': [
                  { guard: 'isOthers', target: 'held', actions: ['remember', logTest] },
                  { actions: 'remember' },
                ],
                'standby.elapsed': { target: 'update', actions: log({ id: 'lock.wait.ok' }) },
              },
            },
            update: {
              tags: 'effect',
              description: 'As above, while the watch goes on: it shows who won if this node lost',
              invoke: { src: 'acquireLock', input: lockInput },
              entry: updateEntry,
              on: {
                ...updateAnswers,
                'lock.changed': [
                  // This node's own write, ahead of its answer.
                  { guard: 'isMine', actions: 'remember' },
                  { guard: 'isOthers', actions: ['remember', logTest] },
                  { actions: 'remember' },
                ],
                'lock.watch.ended': { actions: assign({ watchEnded: true }) },
                'lock.conflicted': [
                  { guard: 'sawTaken', target: 'held', actions: logMessage('lock.conflict') },
                  {
                    guard: 'sawNewer',
                    target: 'standby',
                    actions: [logMessage('lock.conflict'), 'drawStandbyWait'],
                  },
                  {
                    guard: ({ context }) => context.watchEnded,
                    target: '#run.acquiring.conflict',
                    actions: logMessage('lock.conflict'),
                  },
                  { target: 'conflict', actions: logMessage('lock.conflict') },
                ],
              },
            },
            conflict: {
              description: 'Lost: the watch is about to show to whom, else the lock is read again',
              entry: conflictEntry,
              exit: cancel('conflict'),
              on: {
                'lock.changed': [
                  { guard: 'isMine', actions: 'remember' },
                  { guard: 'isOthers', target: 'held', actions: ['remember', logTest] },
                  { target: 'standby', actions: ['remember', logTest, 'drawStandbyWait'] },
                ],
                'conflict.elapsed': { target: '#run.acquiring.get' },
              },
            },
          },
        },
        update: {
          tags: 'effect',
          description: 'A merge patch of the annotation, with the resourceVersion just read',
          invoke: { src: 'acquireLock', input: lockInput },
          entry: updateEntry,
          on: {
            ...updateAnswers,
            'lock.conflicted': { target: 'conflict', actions: logMessage('lock.conflict') },
          },
        },
        conflict: {
          entry: conflictEntry,
          exit: cancel('conflict'),
          on: { 'conflict.elapsed': { target: 'get' } },
        },
        backoff: {
          entry: [
            logMessage('run.acquire.retrying'),
            'growBackoff',
            raise({ type: 'backoff.elapsed' }, { id: 'backoff', delay: 'wait' }),
          ],
          exit: cancel('backoff'),
          on: { 'backoff.elapsed': { target: 'get' } },
        },
      },
    },
    locked: {
      description: 'This node holds the lock, or needs none; only here the host is changed',
      initial: 'upgrading',
      states: {
        verifying: {
          description:
            'After an interruption: the host is only touched while the lock is still held',
          initial: 'get',
          always: { guard: 'isNative', target: 'upgrading' },
          on: {
            'run.interrupted': interruptedAt('upgrading'),
            'stop.requested': leftAt('upgrading'),
          },
          states: {
            get: {
              entry: log({ id: 'lock.get' }),
              invoke: { src: 'readLock', input: lockInput },
              on: {
                'lock.read': [
                  {
                    guard: 'isMine',
                    target: '#run.locked.upgrading',
                    actions: ['remember', 'resetBackoff', logTest],
                  },
                  {
                    target: '#run.failed',
                    actions: [
                      'remember',
                      logTest,
                      assign({ error: brokenLock }),
                      {
                        type: 'log',
                        params: ({ context }) => ({
                          id: 'run.failed',
                          message: context.error ?? '',
                        }),
                      },
                    ],
                  },
                ],
                'api.failed': { target: 'backoff' },
              },
            },
            backoff: {
              entry: [
                logMessage('run.acquire.retrying'),
                'growBackoff',
                raise({ type: 'backoff.elapsed' }, { id: 'backoff', delay: 'wait' }),
              ],
              exit: cancel('backoff'),
              on: { 'backoff.elapsed': { target: 'get' } },
            },
          },
        },
        upgrading: {
          tags: 'effect',
          entry: log({ id: 'run.upgrading' }),
          invoke: {
            src: 'upgradeHost',
            input: ({ context }) => ({ node: context.node, resumed: context.resumeAt !== null }),
          },
          on: {
            'run.interrupted': interruptedAt('upgrading'),
            'stop.requested': leftAt('upgrading'),
            'upgrade.output': {
              actions: {
                type: 'log',
                params: ({ event }) => ({ id: 'host.output', text: event.text }),
              },
            },
            'upgrade.finished': {
              target: 'reporting',
              actions: assign({ status: ({ event }) => event.status }),
            },
            'upgrade.failed': {
              target: 'reporting',
              actions: assign({
                status: ({ event }) => event.status,
                error: ({ event }) => event.message,
              }),
            },
          },
        },
        reporting: {
          tags: 'effect',
          invoke: {
            src: 'reportNode',
            input: ({ context }) => ({
              node: context.node,
              status: context.status ?? { rebootRequired: false, detail: '' },
              error: context.error,
            }),
          },
          entry: {
            type: 'log',
            params: ({ context }): Line =>
              context.daemonSet === ''
                ? { id: 'node.skipped' }
                : {
                    id: 'node.condition',
                    status: context.status ?? { rebootRequired: false, detail: '' },
                    error: context.error,
                  },
          },
          on: {
            'run.interrupted': interruptedAt('reporting'),
            'node.reported': [
              {
                guard: 'hasFailed',
                target: 'leaving',
                actions: {
                  type: 'log',
                  params: ({ context }) => ({
                    id: 'run.upgrade.failed',
                    message: context.error ?? '',
                  }),
                },
              },
              {
                guard: 'rebootRequired',
                target: 'leaving',
                actions: log({ id: 'run.reboot.skipped' }),
              },
              { target: 'leaving', actions: log({ id: 'run.no-reboot' }) },
            ],
          },
        },
        leaving: {
          always: [{ guard: 'isNative', target: '#run.ended' }, { target: '#run.releasing' }],
        },
      },
    },
    releasing: {
      entry: [log({ id: 'run.releasing' }), 'resetBackoff'],
      on: { 'run.interrupted': interruptedAt('releasing') },
      initial: 'get',
      states: {
        get: {
          entry: log({ id: 'lock.get' }),
          invoke: { src: 'readLock', input: lockInput },
          on: {
            'lock.read': [
              {
                guard: 'isMine',
                target: 'update',
                actions: ['remember', log({ id: 'lock.release' })],
              },
              { guard: 'isUnsettled', target: 'fence', actions: 'remember' },
              {
                // A lost answer of the acquire turned out to be a lost request: nothing to release.
                guard: 'hasFailed',
                target: '#run.ended',
                actions: ['remember', log({ id: 'lock.release' })],
              },
              {
                // The other way round: the release whose answer was lost was carried out.
                guard: ({ context }) => context.releaseLost,
                target: '#run.ended',
                actions: ['remember', log({ id: 'lock.release' })],
              },
              {
                target: '#run.ended',
                actions: ['remember', log({ id: 'lock.release' }), assign({ error: brokenLock })],
              },
            ],
            'api.failed': { target: 'backoff' },
          },
        },
        fence: {
          tags: 'effect',
          description: 'The lock is taken once more, so that the lost acquire comes too late',
          invoke: { src: 'acquireLock', input: lockInput },
          entry: updateEntry,
          on: {
            'lock.updated': {
              target: 'update',
              actions: assign({ lock: ({ event }) => event.lock, lostUpdateVersion: null }),
            },
            'lock.conflicted': { target: 'conflict', actions: logMessage('lock.conflict') },
            // Even refused: the lost acquire may have been let in before, and be late.
            'api.failed': { target: 'backoff' },
          },
        },
        update: {
          tags: 'effect',
          invoke: { src: 'releaseLock', input: lockInput },
          entry: [
            {
              type: 'log',
              params: ({ context }) => ({ id: 'lock.clear', value: context.lock.value }),
            },
            log({ id: 'lock.update' }),
          ],
          on: {
            'lock.updated': { target: '#run.ended' },
            'lock.conflicted': { target: 'conflict', actions: logMessage('lock.conflict') },
            'api.failed': { target: 'backoff', actions: 'loseRelease' },
            'run.interrupted': {
              ...interruptedAt('releasing'),
              actions: ['loseRelease', interruptedAt('releasing').actions],
            },
          },
        },
        conflict: {
          entry: conflictEntry,
          exit: cancel('conflict'),
          on: { 'conflict.elapsed': { target: 'get' } },
        },
        backoff: {
          entry: [
            logMessage('run.release.retrying'),
            'growBackoff',
            raise({ type: 'backoff.elapsed' }, { id: 'backoff', delay: 'wait' }),
          ],
          exit: cancel('backoff'),
          on: { 'backoff.elapsed': { target: 'get' } },
        },
      },
    },
    ended: {
      always: [
        {
          guard: 'hasFailed',
          target: 'failed',
          actions: {
            type: 'log',
            params: ({ context }) => ({ id: 'run.failed', message: context.error ?? '' }),
          },
        },
        { target: 'done' },
      ],
    },
    interrupted: {
      description: 'Between two processes: nothing runs here',
      on: {
        'run.resumed': [
          {
            guard: ({ context }) => context.resumeAt === 'acquiring',
            target: 'acquiring',
            actions: [
              log({ id: 'run.resuming' }),
              assign({ deadlineInMs: ({ event }) => event.deadlineInMs }),
            ],
          },
          {
            guard: ({ context }) => context.resumeAt === 'releasing',
            target: 'releasing',
            actions: log({ id: 'run.resuming' }),
          },
          {
            guard: ({ context }) => context.resumeAt === 'reporting',
            target: 'locked.reporting',
            actions: log({ id: 'run.resuming' }),
          },
          { target: 'locked.verifying', actions: log({ id: 'run.resuming' }) },
        ],
      },
    },
    done: { type: 'final', entry: log({ id: 'run.done' }) },
    failed: { type: 'final' },
    stopped: { type: 'final' },
  },
});
