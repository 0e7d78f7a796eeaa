import { and, cancel, enqueueActions } from 'xstate';
import { assign } from './assign.ts';
import type { RunEvent } from './events.ts';
import {
  backoffEntry,
  disruptionOf,
  interruptedAt,
  leftAt,
  lockInput,
  log,
  logFailure,
  machineSetup,
  type RunContext,
  timerMs,
} from './setup.ts';

const nodeInput = ({ context: { node } }: { context: RunContext }) => ({ node });

const rebootError = (message: string) => `Failed to reboot host: ${message}`;

const kept = {
  target: '#run.locked.leaving',
  actions: [
    machineSetup.assign({ isWindowClosed: true }),
    { type: 'keepReboot' as const },
    log({ id: 'run.reboot.kept' }),
  ],
};

const expired = {
  target: '#run.locked.undoing',
  actions: [
    machineSetup.assign({
      error: ({ context }) =>
        rebootError(
          `the host is still up ${disruptionOf(context).rebootTimeoutMs / 1_000} s after it was told to`,
        ),
    }),
    logFailure,
  ],
};

/** Nothing has been asked of the host yet: it can still be left alone. */
const beforeRequest = {
  'run.interrupted': interruptedAt('rebooting'),
  'stop.requested': leftAt('rebooting'),
  'window.closed': kept,
};

/** From the mark on the node to the end of this process; the next one finds the proof. */
export const rebooting = machineSetup.createStateConfig({
  description: 'The host is told to reboot; the lock stays held',
  initial: 'confirming',
  states: {
    confirming: {
      description: 'The lock is read again: only its holder reboots its host',
      always: { guard: 'isNative', target: 'marking' },
      invoke: { src: 'readLock', input: lockInput },
      on: {
        ...beforeRequest,
        'lock.read': [
          { guard: 'isMine', target: 'marking', actions: ['remember', 'resetBackoff'] },
          { target: '#run.locked.leaving', actions: ['remember', 'loseLock'] },
        ],
        'api.failed': 'backoff',
      },
    },
    marking: {
      tags: 'effect',
      description: 'The Node tells of the reboot, and of the boot that it ends',
      entry: assign({ mark: { at: '', atMs: 0 } }),
      invoke: {
        src: 'markReboot',
        input: ({ context }) => ({
          node: context.node,
          bootId: context.boot?.bootId ?? '',
          detail: context.status?.rebootMessage ?? '',
        }),
      },
      on: {
        ...beforeRequest,
        'reboot.marked': [
          {
            guard: 'isDrained',
            target: 'requesting',
            actions: [
              'mark',
              {
                type: 'log',
                params: ({ event }) => ({ id: 'reboot.marked', at: event.at }),
              },
              log({ id: 'reboot.begin' }),
            ],
          },
          { target: 'requesting', actions: 'mark' },
        ],
        'api.failed': 'backoff',
      },
    },
    backoff: {
      description: 'The API did not answer, or refused: tried again after a pause that grows',
      entry: backoffEntry('reboot.retrying'),
      exit: cancel('backoff'),
      on: { ...beforeRequest, 'backoff.elapsed': 'confirming' },
    },
    requesting: {
      description: 'The host is told to reboot, once',
      tags: 'effect',
      // A command of the user's may never end; the host then is as much up as after one that did.
      entry: enqueueActions(({ context, enqueue }) => {
        const { rebootTimeoutMs } = disruptionOf(context);
        if (rebootTimeoutMs === 0) return;
        enqueue.raise(
          { type: 'reboot.expired' },
          { id: 'request', delay: timerMs(rebootTimeoutMs) },
        );
      }),
      exit: cancel('request'),
      invoke: { src: 'rebootHost', input: nodeInput },
      on: {
        // Whether the host has heard of it cannot be known: it is never asked twice.
        'run.interrupted': interruptedAt('proving'),
        'stop.requested': interruptedAt('proving'),
        'reboot.expired': expired,
        'reboot.requested': {
          target: 'waiting',
          actions: [
            assign({ waitMs: ({ context }) => disruptionOf(context).rebootTimeoutMs }),
            log({ id: 'reboot.shutdown' }),
            log({ id: 'reboot.leaving' }),
          ],
        },
        'reboot.refused': {
          target: '#run.locked.undoing',
          actions: [
            machineSetup.assign({
              error: ({ event }) => ('message' in event ? event.message : ''),
            }),
            logFailure,
          ],
        },
      },
    },
    waiting: {
      description: 'The host goes down, and this process with it',
      entry: enqueueActions(({ context, enqueue }) => {
        if (disruptionOf(context).rebootTimeoutMs === 0) return;
        enqueue.raise({ type: 'reboot.expired' }, { id: 'reboot', delay: 'wait' });
      }),
      exit: cancel('reboot'),
      on: {
        'run.interrupted': interruptedAt('proving'),
        // As it has to be: the host's systemd ends this process.
        'stop.requested': interruptedAt('proving'),
        'reboot.expired': expired,
      },
    },
  },
});

/** What is left of the reboot's time in a process that finds the host in the same boot. */
export function restMs(context: RunContext, event: RunEvent): number {
  const { rebootTimeoutMs } = disruptionOf(context);
  const { leftover, mark } = context;
  if (leftover?.reboot) return timerMs(Math.min(leftover.reboot.leftMs, rebootTimeoutMs));
  const atMs = event.type === 'run.resumed' ? event.boot?.atMs : undefined;
  if (atMs === undefined || mark === null || mark.at === '') return rebootTimeoutMs;
  // A clock that was set must not make it longer than it is.
  return Math.min(timerMs(mark.atMs + rebootTimeoutMs - atMs), rebootTimeoutMs);
}

/** The reboot is proven: the mark is cleared and the condition says so. */
export const rebooted = machineSetup.createStateConfig({
  description: 'After the reboot, proven by a new boot id',
  initial: 'clearing',
  on: {
    'run.interrupted': interruptedAt('rebooted'),
    'stop.requested': leftAt('rebooted'),
  },
  states: {
    clearing: {
      description: 'The mark is taken off the Node, and its condition says that it was rebooted',
      tags: 'effect',
      invoke: {
        src: 'clearReboot',
        input: ({ context }) => ({
          node: context.node,
          outcome: { kind: 'rebooted' as const, bootMs: context.rebooted?.bootMs ?? 0 },
        }),
      },
      on: {
        'reboot.cleared': [
          // A reboot kept from the last window comes first; what is new since comes now.
          { guard: 'isUpgraded', target: '#run.locked.leaving', actions: 'unmark' },
          {
            guard: and(['isKeptFromBefore', 'isNative']),
            target: '#run.locked.upgrading',
            actions: 'unmark',
          },
          {
            guard: 'isKeptFromBefore',
            // Long after it was read last: the host is only touched while the lock is still held.
            target: '#run.locked.verifying',
            actions: 'unmark',
          },
          { target: '#run.locked.leaving', actions: 'unmark' },
        ],
        'api.failed': 'backoff',
      },
    },
    backoff: {
      description: 'The API did not answer, or refused: tried again after a pause that grows',
      entry: backoffEntry('reboot.retrying'),
      exit: cancel('backoff'),
      on: { 'backoff.elapsed': 'clearing' },
    },
  },
});

/** The reboot has not come about: the mark is cleared and the condition says why. */
export const undoing = machineSetup.createStateConfig({
  description: 'The reboot has failed: nothing of it stays',
  initial: 'clearing',
  on: {
    'run.interrupted': interruptedAt('undoing'),
    'stop.requested': leftAt('undoing'),
  },
  states: {
    clearing: {
      description: 'The mark is taken off the Node, and its condition says what failed',
      tags: 'effect',
      invoke: {
        src: 'clearReboot',
        input: ({ context }) => ({
          node: context.node,
          outcome: {
            kind: 'failed' as const,
            message: context.error ?? 'kept for the next window',
          },
        }),
      },
      on: {
        'reboot.cleared': { target: '#run.locked.leaving', actions: 'unmark' },
        'api.failed': 'backoff',
      },
    },
    backoff: {
      description: 'The API did not answer, or refused: tried again after a pause that grows',
      entry: backoffEntry('reboot.retrying'),
      exit: cancel('backoff'),
      on: { 'backoff.elapsed': 'clearing' },
    },
  },
});

/** Whatever came of it, a node that this program has cordoned takes pods again. */
export const uncordoning = machineSetup.createStateConfig({
  description: 'The node takes pods again',
  initial: 'patching',
  on: {
    'run.interrupted': interruptedAt('uncordoning'),
    'stop.requested': leftAt('uncordoning'),
  },
  states: {
    patching: {
      description: 'The node is made schedulable, if this program had made it unschedulable',
      tags: 'effect',
      invoke: { src: 'uncordonNode', input: nodeInput },
      on: {
        'node.uncordoned': [
          {
            guard: ({ event }) => event.done,
            target: '#run.locked.leaving',
            actions: [assign({ isCordoned: false }), log({ id: 'node.uncordoned' })],
          },
          { target: '#run.locked.leaving', actions: assign({ isCordoned: false }) },
        ],
        'api.failed': 'backoff',
      },
    },
    backoff: {
      description: 'The API did not answer, or refused: tried again after a pause that grows',
      entry: backoffEntry('drain.retrying'),
      exit: cancel('backoff'),
      on: { 'backoff.elapsed': 'patching' },
    },
  },
});
