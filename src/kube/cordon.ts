import type { V1Node } from '@kubernetes/client-node';
import type { Observable } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import { DRAIN_ANNOTATION, FENCE_ANNOTATION } from './annotations.ts';
import { attempt } from './attempt.ts';
import type { KubeClient } from './client.ts';
import { ApiError } from './errors.ts';
import { getNode, patchNode } from './node.ts';

/** A Node changes every few seconds at most: who loses this often has another problem. */
const CONFLICT_MAX_TIMES = 5;

/**
 * Makes the node unschedulable and says on it that this program did. One that somebody else has
 * cordoned stays as it is (`before: true`), so that `uncordonNode` leaves it alone.
 * node.cordoned or api.failed, once.
 */
export function cordonNode(client: KubeClient, name: string): Observable<RunEvent> {
  return attempt('', async (signal) => {
    const { node, isChanged } = await change(client, name, signal, ({ spec }) =>
      spec?.unschedulable === true
        ? null
        : { annotations: { [DRAIN_ANNOTATION]: 'true' }, unschedulable: true },
    );
    // A process that was killed in the middle had cordoned it, and said so in the same patch.
    return { type: 'node.cordoned', before: !isChanged && !isDrained(node) };
  });
}

/**
 * Makes the node schedulable again where this program had made it unschedulable. Where it has not,
 * a cordon that got no answer may still be under way: it holds for the Node as it was read, so the
 * Node is changed. node.uncordoned or api.failed, once.
 */
export function uncordonNode(client: KubeClient, name: string): Observable<RunEvent> {
  return attempt('', async (signal) => {
    const { node } = await change(client, name, signal, (read) =>
      isDrained(read)
        ? { annotations: { [DRAIN_ANNOTATION]: null }, unschedulable: null }
        : { annotations: { [FENCE_ANNOTATION]: read.metadata?.resourceVersion ?? '' } },
    );
    if (isDrained(node)) return { type: 'node.uncordoned', done: true };
    const metadata = { annotations: { [FENCE_ANNOTATION]: null } };
    await patchNode(client, name, { metadata }, signal);
    return { type: 'node.uncordoned', done: false };
  });
}

/** Whether this program has cordoned the node. */
export function isDrained(node: V1Node): boolean {
  return node.metadata?.annotations?.[DRAIN_ANNOTATION] !== undefined;
}

interface Change {
  annotations: Record<string, string | null>;
  unschedulable?: true | null;
}

/**
 * Reads the Node and carries out what `decide` says of it, in one patch that holds for exactly
 * what was read; null: nothing is to be done. Gives the Node that was read. Throws ApiError.
 */
async function change(
  client: KubeClient,
  name: string,
  signal: AbortSignal,
  decide: (node: V1Node) => Change | null,
): Promise<{ node: V1Node; isChanged: boolean }> {
  for (let times = 1; ; times += 1) {
    const node = await getNode(client, name, signal);
    const wanted = decide(node);
    if (wanted === null) return { node, isChanged: false };
    const { annotations, ...spec } = wanted;
    const { resourceVersion } = node.metadata ?? {};
    const body = { metadata: { resourceVersion, annotations }, spec };
    try {
      await patchNode(client, name, body, signal);
      return { node, isChanged: true };
    } catch (error) {
      const isConflict = error instanceof ApiError && error.code === 409;
      if (!isConflict || times >= CONFLICT_MAX_TIMES) throw error;
    }
  }
}
