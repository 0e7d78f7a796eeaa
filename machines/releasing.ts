import { cancel, raise } from 'xstate';
import { assign } from './assign.ts';
import {
  brokenLock,
  conflictEntry,
  interruptedAt,
  lockInput,
  log,
  logMessage,
  machineSetup,
  updateEntry,
} from './setup.ts';

export const releasing = machineSetup.createStateConfig({
  description: 'The lock is handed on',
  entry: [log({ id: 'run.releasing' }), 'resetBackoff'],
  on: { 'run.interrupted': interruptedAt('releasing') },
  initial: 'get',
  states: {
    get: {
      description: 'The lock is read: only what is this node’s is cleared',
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
      description: 'The annotation is cleared, with the resourceVersion just read',
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
      description: 'Somebody else has changed the object in between: a short random pause',
      entry: conflictEntry,
      exit: cancel('conflict'),
      on: { 'conflict.elapsed': { target: 'get' } },
    },
    backoff: {
      description: 'The API did not answer, or refused: tried again after a pause that grows',
      entry: [
        logMessage('run.release.retrying'),
        'growBackoff',
        raise({ type: 'backoff.elapsed' }, { id: 'backoff', delay: 'wait' }),
      ],
      exit: cancel('backoff'),
      on: { 'backoff.elapsed': { target: 'get' } },
    },
  },
});
