import type { V1Node, V1NodeCondition } from '@kubernetes/client-node';
import type { Observable } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import { attempt } from './attempt.ts';
import type { KubeClient } from './client.ts';
import { getNode } from './node.ts';
import { rebootCondition, tryReport } from './reboot-condition.ts';

/** Why a node that is to be rebooted is not: a drain that waits, or one that has been given up. */
export interface DrainTrouble {
  kind: 'blocked' | 'failed';
  /** Names the pod and the PodDisruptionBudget; `blockedMessage` does. */
  message: string;
}

/** What a refused eviction says of itself in one line: pod, budget and the API server's words. */
export function blockedMessage({
  pod,
  budget,
  message,
}: Omit<Extract<RunEvent, { type: 'pod.blocked' }>, 'type' | 'retryInMs'>): string {
  const [namespace] = pod.split('/');
  const by = budget === null ? '' : `PodDisruptionBudget ${namespace}/${budget}: `;
  return `pod ${pod} is not evicted: ${by}${message}`;
}

/** The condition HostUpgradesReboot; the reboot is still required. */
export function drainCondition(
  { kind, message }: DrainTrouble,
  before: V1Node,
  nowMs: number,
): V1NodeCondition {
  const reason = kind === 'blocked' ? 'DrainBlocked' : 'DrainFailed';
  return rebootCondition({ reason, message }, before, nowMs);
}

/**
 * Says on the Node what keeps it from being drained. node.reported, once, whatever came of it;
 * `warn` is told where it could not be written.
 */
export function reportDrain(
  client: KubeClient,
  name: string,
  trouble: DrainTrouble,
  nowMs: number,
  warn: (message: string) => void,
): Observable<RunEvent> {
  return attempt('', async (signal) => {
    const write = async () => {
      const node = await getNode(client, name, signal);
      return [drainCondition(trouble, node, nowMs)];
    };
    await tryReport(client, name, write, signal, warn);
    return { type: 'node.reported' };
  });
}
