import { and, cancel, not, raise } from 'xstate';
import { assign } from './assign.ts';
import { draining } from './draining.ts';
import type { HostStatus } from './events.ts';
import type { Line } from './lines.ts';
import { rebooted, rebooting, uncordoning, undoing } from './rebooting.ts';
import {
  interruptedAt,
  leftAt,
  lockInput,
  log,
  logFailure,
  logMessage,
  logTest,
  machineSetup,
  type RunContext,
} from './setup.ts';

const NO_STATUS: HostStatus = { rebootRequired: false, detail: '' };

/** What follows from a good upgrade; the first that holds. */
const AFTER_UPGRADE = [
  { guard: not('rebootRequired'), target: 'leaving', actions: log({ id: 'run.no-reboot' }) },
  { guard: not('mayReboot'), target: 'leaving', actions: log({ id: 'run.reboot.skipped' }) },
  {
    guard: 'isRepeated' as const,
    target: 'leaving',
    actions: {
      type: 'log' as const,
      params: ({ context }: { context: RunContext }): Line => ({
        id: 'run.reboot.repeated',
        cause: context.status?.rebootMessage ?? '',
      }),
    },
  },
  {
    guard: 'hasRebooted' as const,
    target: 'leaving',
    actions: [{ type: 'keepReboot' as const }, log({ id: 'run.reboot.again' })],
  },
  {
    guard: 'isWindowOver' as const,
    target: 'leaving',
    actions: [{ type: 'keepReboot' as const }, log({ id: 'run.reboot.kept' })],
  },
  {
    guard: 'isDrained' as const,
    target: 'rebooting',
    actions: log({ id: 'run.reboot.drained' }),
  },
  {
    guard: 'mustDrain' as const,
    target: 'draining',
    actions: log({ id: 'run.reboot.draining' }),
  },
  { target: 'rebooting', actions: log({ id: 'run.reboot.undrained' }) },
];

export const locked = machineSetup.createStateConfig({
  description: 'This node holds the lock, or needs none; only here the host is changed',
  initial: 'entering',
  states: {
    entering: {
      description: 'What comes first: a reboot kept from the last window, a drain, or the upgrade',
      always: [
        {
          guard: and([not('isWindowOver'), 'isRebootPending', 'mustDrain']),
          target: 'draining',
          actions: log({ id: 'run.reboot.pending' }),
        },
        {
          guard: and([not('isWindowOver'), 'isRebootPending']),
          target: 'rebooting',
          actions: log({ id: 'run.reboot.pending' }),
        },
        {
          guard: and([not('isWindowOver'), 'mustDrainFirst']),
          target: 'draining',
          actions: log({ id: 'run.drain.first' }),
        },
        { target: 'upgrading' },
      ],
    },
    verifying: {
      description: 'After an interruption: the host is only touched while the lock is still held',
      initial: 'get',
      on: {
        'run.interrupted': interruptedAt('upgrading'),
        'stop.requested': leftAt('upgrading'),
      },
      states: {
        get: {
          description: 'The lock is read: is it still this node’s?',
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
                target: '#run.locked.leaving',
                actions: ['remember', logTest, 'loseLock'],
              },
            ],
            'api.failed': { target: 'backoff' },
          },
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
    },
    upgrading: {
      description: 'The packages of the host are upgraded, in a unit of its systemd',
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
      description: 'The Node’s conditions say what came of the upgrade',
      tags: 'effect',
      invoke: {
        src: 'reportNode',
        input: ({ context }) => ({
          node: context.node,
          status: context.status ?? NO_STATUS,
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
                status: context.status ?? NO_STATUS,
                error: context.error,
              },
      },
      on: {
        'run.interrupted': interruptedAt('reporting'),
        'node.reported': [
          { guard: 'hasFailed', target: 'leaving', actions: logFailure },
          {
            guard: 'rebootUnknown',
            target: 'leaving',
            actions: [
              assign({
                error: ({ context }) =>
                  `Reboot check failed: ${context.status?.rebootUnknown ?? ''}`,
              }),
              {
                type: 'log',
                params: ({ context }) => ({
                  id: 'run.reboot.unknown',
                  message: context.status?.rebootUnknown ?? '',
                }),
              },
            ],
          },
          ...AFTER_UPGRADE,
        ],
      },
    },
    draining,
    undrained: {
      tags: 'effect',
      description: 'The drain has failed: the condition says why',
      invoke: {
        src: 'reportNode',
        input: ({ context }) => ({
          node: context.node,
          status: context.status ?? NO_STATUS,
          // Without an upgrade it is the upgrade that has failed.
          error: context.status === null ? context.error : null,
          drainError: context.error ?? '',
        }),
      },
      on: {
        'run.interrupted': interruptedAt('uncordoning'),
        'stop.requested': leftAt('uncordoning'),
        'node.reported': 'leaving',
      },
    },
    rebooting,
    rebooted,
    undoing,
    uncordoning,
    leaving: {
      description: 'Nothing of the run stays on the node, whatever came of it',
      always: [
        { guard: and(['isMarked', 'hasRebooted']), target: 'rebooted' },
        { guard: 'isMarked', target: 'undoing' },
        { guard: 'isCordoned', target: 'uncordoning' },
        { guard: 'isNative', target: '#run.ended' },
        { guard: 'isUnlocked', target: '#run.ended' },
        { target: '#run.releasing' },
      ],
    },
  },
});
