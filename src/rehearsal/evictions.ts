import type { V1LabelSelector } from '@kubernetes/client-node';
import { isSelected } from '../kube/selector.ts';
import type { JsonObject } from './objects.ts';
import { deletePod, hasEnded, type PodFields, podOf } from './pods.ts';
import { BUDGETS, PODS } from './routes.ts';
import { StatusError, type Store } from './store.ts';

/** A PodDisruptionBudget as its controller keeps it. */
interface Budget {
  metadata: { name: string };
  spec: { selector: V1LabelSelector };
  status?: {
    observedGeneration?: number;
    disruptionsAllowed?: number;
    desiredHealthy?: number;
    currentHealthy?: number;
  };
}

/**
 * Evicts a pod as the API server does: its budget must allow it, and the pod is then deleted.
 * True: it is on its way out from now on; who runs the pods deletes it when it has ended. Throws
 * StatusError.
 */
export function evict(
  store: Store,
  namespace: string,
  name: string,
  eviction: JsonObject,
  nowMs: number,
): boolean {
  const pod = podOf(store.get(PODS, namespace, name));
  const { preconditions, gracePeriodSeconds } = (eviction.deleteOptions ?? {}) as {
    preconditions?: { uid?: string };
    gracePeriodSeconds?: number;
  };
  const { uid } = pod.metadata;
  const wanted = preconditions?.uid ?? uid;
  if (!isNoDisruption(pod)) spend(store, namespace, pod);
  if (wanted !== uid) {
    const message = `Operation cannot be fulfilled on Pod "${name}": the UID in the precondition (${wanted}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw new StatusError(409, 'Conflict', message);
  }
  return deletePod(store, namespace, name, gracePeriodSeconds, nowMs);
}

/** It serves nobody: it has ended, has not begun, or is on its way out. */
function isNoDisruption(pod: PodFields): boolean {
  const { status, metadata } = pod;
  return hasEnded(pod) || status?.phase === 'Pending' || metadata.deletionTimestamp !== undefined;
}

/** Takes one disruption from the pod's budget. */
function spend(store: Store, namespace: string, pod: PodFields): void {
  const budgets = (store.list(BUDGETS, namespace) as unknown as Budget[]).filter(({ spec }) =>
    isSelected(spec.selector, pod.metadata.labels ?? {}),
  );
  const [budget, ...more] = budgets;
  if (budget === undefined) return;
  if (more.length > 0) {
    const message =
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw new StatusError(500, '', message);
  }
  const { name } = budget.metadata;
  const { disruptionsAllowed = 0, desiredHealthy = 0, currentHealthy = 0 } = budget.status ?? {};
  const isReady = pod.status?.conditions?.some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
  // The budget is met without the pod.
  if (!isReady && desiredHealthy > 0 && currentHealthy >= desiredHealthy) return;
  if (budget.status?.observedGeneration === undefined) {
    throw violation(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  if (disruptionsAllowed <= 0) {
    throw violation(
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
    );
  }
  const status = { disruptionsAllowed: disruptionsAllowed - 1 };
  store.patch(BUDGETS, namespace, name, 'merge', { status });
}

function violation(cause: string, retryAfterS?: number): StatusError {
  const message = "Cannot evict pod as it would violate the pod's disruption budget.";
  const causes = [{ reason: 'DisruptionBudget', message: cause }];
  return new StatusError(429, 'TooManyRequests', message, causes, retryAfterS);
}
