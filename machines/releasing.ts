import { assign, cancel, raise } from 'xstate';
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
});
