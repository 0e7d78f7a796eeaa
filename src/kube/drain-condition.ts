import type { Observable } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import { attempt } from './attempt.ts';
import type { KubeClient } from './client.ts';
import { getNode } from './node.ts';
import { rebootCondition, tryReport } from './reboot-condition.ts';

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

/**
 * Says on the Node what keeps it from being drained; the reboot is still required. node.reported, once, whatever came of it;
 * `warn` is told where it could not be written.
 */
export function reportDrain(
  client: KubeClient,
  name: string,
  message: string,
  nowMs: number,
  warn: (message: string) => void,
): Observable<RunEvent> {
  return attempt('', async (signal) => {
    const write = async () => {
      const node = await getNode(client, name, signal);
      return [rebootCondition({ reason: 'DrainBlocked', message }, node, nowMs)];
    };
    await tryReport(client, name, write, signal, warn);
    return { type: 'node.reported' };
  });
}
