import { cancel, enqueueActions, raise } from 'xstate';
import { assign } from './assign.ts';
import {
  conflictEntry,
  DEADLINE_ERROR,
  interruptedAt,
  lockInput,
  log,
  logMessage,
  logTest,
  machineSetup,
  updateEntry,
} from './setup.ts';

const TIMED_OUT = 'timed out waiting for the condition';

const watchTimedOut = [
  log({ id: 'lock.wait.err', message: TIMED_OUT }),
  log({ id: 'run.acquire.retrying', message: TIMED_OUT }),
  log({ id: 'run.deadline' }),
  machineSetup.assign({ error: DEADLINE_ERROR }),
];
const lateUpdate = [logMessage('lock.conflict'), { type: 'widenStandby' as const }];
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

/** Gets the cluster-wide lock, or fails at the deadline. */
export const acquiring = machineSetup.createStateConfig({
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
      entry: ['drawSpreadWait', raise({ type: 'spread.elapsed' }, { id: 'spread', delay: 'wait' })],
      exit: cancel('spread'),
      always: { guard: 'isAlone', target: 'get' },
      on: { 'spread.elapsed': { target: 'get' } },
    },
    get: {
      description: 'The lock is read',
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
          description: 'Another node holds it: its changes come from the watch',
          on: {
            'lock.changed': [
              { guard: 'isOthers', actions: ['remember', logTest] },
              { target: 'standby', actions: ['remember', logTest, 'drawStandbyWait'] },
            ],
          },
        },
        standby: {
          description: 'Free: a short random delay, so that not every waiting node updates at once',
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
              { guard: 'sawTaken', target: 'held', actions: lateUpdate },
              {
                guard: 'sawNewer',
                target: 'standby',
                actions: [...lateUpdate, 'drawStandbyWait'],
              },
              {
                guard: ({ context }) => context.watchEnded,
                target: '#run.acquiring.conflict',
                actions: lateUpdate,
              },
              { target: 'conflict', actions: lateUpdate },
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
      description: 'Somebody else has changed the object in between: a short random pause',
      entry: conflictEntry,
      exit: cancel('conflict'),
      on: { 'conflict.elapsed': { target: 'get' } },
    },
    backoff: {
      description: 'The API did not answer, or refused: tried again after a pause that grows',
      entry: [
        logMessage('run.acquire.retrying'),
        'growBackoff',
        raise({ type: 'backoff.elapsed' }, { id: 'backoff', delay: 'wait' }),
      ],
      exit: cancel('backoff'),
      on: { 'backoff.elapsed': { target: 'get' } },
    },
  },
});
