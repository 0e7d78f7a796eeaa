import { assign, cancel, raise } from 'xstate';
import type { Line } from './lines.ts';
import {
  brokenLock,
  interruptedAt,
  leftAt,
  lockInput,
  log,
  logMessage,
  logTest,
  machineSetup,
} from './setup.ts';

export const locked = machineSetup.createStateConfig({
  description: 'This node holds the lock, or needs none; only here the host is changed',
  initial: 'upgrading',
  states: {
    verifying: {
      description: 'After an interruption: the host is only touched while the lock is still held',
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
});
