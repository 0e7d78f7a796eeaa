import { cancel, enqueueActions } from 'xstate';
import { assign } from './assign.ts';
import type { RunEvent } from './events.ts';
import type { Line } from './lines.ts';
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
} from './setup.ts';

const nodeInput = ({ context: { node } }: { context: RunContext }) => ({ node });

const drainError = (message: string) => `Failed to drain kube node: ${message}`;

/** The drain has failed: as the original, this ends the run. */
const failed = (error: (args: { context: RunContext; event: RunEvent }) => string) => ({
  target: '#run.locked.undrained',
  actions: [machineSetup.assign({ error }), logFailure],
});

const drainFailed = failed(({ event }) => ('message' in event ? event.message : ''));

const podLine = (id: 'drain.evicted' | 'drain.gone') => ({
  type: 'log' as const,
  params: ({ event }: { event: RunEvent }): Line => ({ id, pod: 'pod' in event ? event.pod : '' }),
});

const drainOutput = {
  type: 'log' as const,
  params: ({ event }: { event: RunEvent }): Line => ({
    id: 'drain.output',
    text: 'output' in event && event.output !== undefined ? event.output : '',
  }),
};

/** Cordon, then eviction; nothing of it begins without the lock, or when the window is over. */
export const draining = machineSetup.createStateConfig({
  description: 'Makes the node unschedulable and evicts its pods',
  entry: enqueueActions(({ context, enqueue }) => {
    if (disruptionOf(context).drainTimeoutMs === 0) return;
    enqueue.raise({ type: 'drain.expired' }, { id: 'drain', delay: 'drain' });
  }),
  exit: cancel('drain'),
  initial: 'confirming',
  on: {
    'run.interrupted': interruptedAt('draining'),
    'stop.requested': leftAt('draining'),
    'drain.expired': failed(({ context }) =>
      drainError(
        `not done within ${disruptionOf(context).drainTimeoutMs / 1_000} s${blockers(context)}`,
      ),
    ),
    'window.closed': [
      // Drained first, for an upgrade that may not need any reboot.
      { ...failed(() => drainError('the window was over')), guard: 'isDrainFirst' },
      {
        target: '#run.locked.leaving',
        actions: [assign({ isWindowClosed: true }), 'keepReboot', log({ id: 'run.reboot.kept' })],
      },
    ],
  },
  states: {
    confirming: {
      description: 'The lock is read again: only its holder disrupts its node',
      invoke: { src: 'readLock', input: lockInput },
      on: {
        'lock.read': [
          { guard: 'isMine', target: 'cordoning', actions: ['remember', 'resetBackoff'] },
          { target: '#run.locked.leaving', actions: ['remember', 'loseLock'] },
        ],
        'api.failed': 'backoff',
      },
    },
    cordoning: {
      description:
        'No new pods: the node is made unschedulable, with a mark that this program did it',
      tags: 'effect',
      entry: [log({ id: 'drain.begin' }), assign({ isCordoned: true })],
      invoke: { src: 'cordonNode', input: nodeInput },
      on: {
        'node.cordoned': {
          target: 'evicting',
          actions: [
            // Somebody else's stays when this run is over.
            assign({ isCordoned: ({ event }) => !event.before }),
            'resetBackoff',
          ],
        },
        'api.failed': 'backoff',
      },
    },
    evicting: {
      description: 'The pods are evicted, as their budgets allow, and waited for',
      tags: 'effect',
      entry: [log({ id: 'drain.command' }), assign({ blocked: [] })],
      invoke: {
        src: 'drainNode',
        input: ({ context }) => ({ node: context.node, disruption: disruptionOf(context) }),
      },
      on: {
        'pod.evicted': { actions: ['unblock', podLine('drain.evicted')] },
        'pod.gone': { actions: ['unblock', podLine('drain.gone')] },
        'pod.blocked': {
          actions: [
            'block',
            {
              type: 'log',
              params: ({ event: { pod, budget, message, retryInMs } }) => ({
                id: 'drain.blocked',
                pod,
                budget,
                message,
                retryInMs,
              }),
            },
          ],
        },
        'node.drained': [
          {
            guard: 'isUpgraded',
            target: '#run.locked.rebooting',
            actions: [assign({ isDrained: true }), drainOutput],
          },
          {
            guard: 'isRebootPending',
            target: '#run.locked.rebooting',
            actions: [assign({ isDrained: true }), drainOutput],
          },
          {
            target: '#run.locked.upgrading',
            actions: [assign({ isDrained: true }), drainOutput],
          },
        ],
        'drain.failed': [
          {
            guard: ({ event }) => event.output !== undefined,
            target: drainFailed.target,
            actions: [drainOutput, ...drainFailed.actions],
          },
          drainFailed,
        ],
      },
    },
    backoff: {
      description: 'The API did not answer, or refused: tried again after a pause that grows',
      entry: backoffEntry('drain.retrying'),
      exit: cancel('backoff'),
      on: { 'backoff.elapsed': 'confirming' },
    },
  },
});

/** What was still in the way when the time was over. */
function blockers({ blocked }: RunContext): string {
  if (blocked.length === 0) return '';
  const pods = blocked.map(({ pod, budget, message }) =>
    budget === null
      ? `pod ${pod}: ${message}`
      : `pod ${pod} by PodDisruptionBudget ${pod.split('/')[0]}/${budget}`,
  );
  return `, blocked: ${pods.join(', ')}`;
}
