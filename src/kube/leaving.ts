import { lacking, userOf } from './access.ts';
import { pause } from './clock.ts';
import { BACKOFF_FIRST_MS, BACKOFF_MAX_MS, type Drain, DrainError } from './drain-input.ts';
import { ApiError, isPassing } from './errors.ts';
import { firmClient } from './firm.ts';
import { daemonSetPath } from './paths.ts';
import { listPods } from './pod-list.ts';
import { controllerOf, isMirror, type Pod } from './pods.ts';

/**
 * Gives a function that lists the pods which do not stay on a node that is drained: all but mirror
 * pods and those of DaemonSets. It asks until there is an answer; throws DrainError where there
 * cannot be one, and whatever it was doing when the drain's signal is aborted.
 */
export function createLeavingList(drain: Drain): () => Promise<Pod[]> {
  const { input, clock, signal, warn } = drain;
  const isThere = createDaemonSetCheck(drain);
  const client = firmClient(drain.client, clock);
  const list = async (): Promise<Pod[]> => {
    const pods = await listPods(client, input.node, input.podSelector, signal);
    const leaves = await Promise.all(
      pods.map(async (pod) => !(isMirror(pod) || (await isThere(pod)))),
    );
    return pods.filter((_, index) => leaves[index]);
  };
  return async () => {
    let told = '';
    for (let pauseMs = BACKOFF_FIRST_MS; ; pauseMs = Math.min(pauseMs * 2, BACKOFF_MAX_MS)) {
      try {
        return await list();
      } catch (error) {
        if (signal.aborted || !(error instanceof ApiError)) throw error;
        const what = `the pods of node ${input.node} cannot be listed`;
        if (!isPassing(error)) throw new DrainError(`${what}: ${refusal(drain, error)}`);
        if (error.message !== told) warn(`${what}, retrying: ${error.message}`);
        told = error.message;
      }
      await pause(pauseMs, signal, clock);
      signal.throwIfAborted();
    }
  };
}

function refusal({ client }: Drain, error: ApiError): string {
  const user = userOf(error);
  if (user === '') return error.message;
  return lacking(
    client,
    user,
    [{ group: '', resource: 'pods', verb: 'list', kind: 'ClusterRole' }],
    '',
  );
}

/**
 * Whether the pod is of a DaemonSet that is there, which would put it back at once. One that was
 * deleted without its pods does not. Asked once for each DaemonSet.
 */
function createDaemonSetCheck({ client, limit, signal }: Drain): (pod: Pod) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async (pod) => {
    const owner = controllerOf(pod);
    if (owner?.kind !== 'DaemonSet') return false;
    const path = daemonSetPath(pod.metadata.namespace, owner.name);
    const found = known.get(path);
    if (found !== undefined) return found;
    let isThere = true;
    try {
      await limit(() => client.request({ method: 'GET', path }, signal));
    } catch (error) {
      if (!(error instanceof ApiError) || isPassing(error)) throw error;
      // Who may not look takes it as what the pod says.
      isThere = error.code !== 404;
    }
    known.set(path, isThere);
    return isThere;
  };
}
