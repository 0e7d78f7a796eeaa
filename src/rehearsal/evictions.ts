import type { V1LabelSelector } from '@kubernetes/client-node';
import { isSelected } from '../kube/selector.ts';
import type { ApiObject, JsonObject } from './objects.ts';
import { BUDGETS, PODS } from './routes.ts';
import { StatusError, type Store } from './store.ts';

const GRACE_S = 30;

/** A PodDisruptionBudget as its controller keeps it. */
interface Budget {
  metadata: { name: string };
  spec: { selector: V1LabelSelector };
  status?: { disruptionsAllowed?: number; desiredHealthy?: number; currentHealthy?: number };
}

/**
 * Evicts a pod as the API server does: its budget must allow it, and the pod is then on its way out.
 * Returns the pod; who runs the pods deletes it when it has ended. Throws StatusError.
 */
export function evict(
  store: Store,
  namespace: string,
  name: string,
  eviction: JsonObject,
  nowMs: number,
): ApiObject {
  const pod = store.get(PODS, namespace, name);
  const { preconditions, gracePeriodSeconds } = (eviction.deleteOptions ?? {}) as {
    preconditions?: { uid?: string };
    gracePeriodSeconds?: number;
  };
  const uid = preconditions?.uid ?? pod.metadata.uid;
  if (uid !== pod.metadata.uid) {
    const message = `Operation cannot be fulfilled on pods "${name}": Precondition failed: UID in precondition: ${uid}, UID in object meta: ${pod.metadata.uid}`;
    throw new StatusError(409, 'Conflict', message);
  }
  if (pod.metadata.deletionTimestamp !== undefined) return pod;
  if (!hasEnded(pod)) spend(store, namespace, pod);
  const spec = (pod.spec ?? {}) as { terminationGracePeriodSeconds?: number };
  const graceS = gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? GRACE_S;
  const deletionTimestamp = `${new Date(nowMs + graceS * 1_000).toISOString().slice(0, 19)}Z`;
  return store.patch(PODS, namespace, name, 'merge', {
    metadata: { deletionTimestamp, deletionGracePeriodSeconds: graceS },
  });
}

/** A pod that has ended is no disruption. */
function hasEnded({ status }: ApiObject): boolean {
  const { phase } = (status ?? {}) as { phase?: string };
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Takes one disruption from the pod's budget. */
function spend(store: Store, namespace: string, { metadata }: ApiObject): void {
  const labels = (metadata.labels ?? {}) as Record<string, string>;
  const budgets = (store.list(BUDGETS, namespace) as unknown as Budget[]).filter(({ spec }) =>
    isSelected(spec.selector, labels),
  );
  const [budget, ...more] = budgets;
  if (more.length > 0) {
    const message =
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw new StatusError(500, 'InternalError', message);
  }
  if (budget === undefined) return;
  const { disruptionsAllowed = 0, desiredHealthy = 0, currentHealthy = 0 } = budget.status ?? {};
  const { name } = budget.metadata;
  if (disruptionsAllowed <= 0) {
    const message = "Cannot evict pod as it would violate the pod's disruption budget.";
    const cause = `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
    throw new StatusError(429, 'TooManyRequests', message, [
      { reason: 'DisruptionBudget', message: cause },
    ]);
  }
  const status = { disruptionsAllowed: disruptionsAllowed - 1 };
  store.patch(BUDGETS, namespace, name, 'merge', { status });
}
