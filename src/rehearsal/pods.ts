import type { ApiObject } from './objects.ts';
import { PODS } from './routes.ts';
import type { Store } from './store.ts';

const GRACE_S = 30;

/** A pod as far as its deletion depends on it. */
export interface PodFields {
  metadata: {
    uid: string;
    labels?: Record<string, string>;
    deletionTimestamp?: string;
    deletionGracePeriodSeconds?: number;
  };
  spec?: { nodeName?: string; terminationGracePeriodSeconds?: number };
  status?: { phase?: string; conditions?: { type: string; status: string }[] };
}

export function podOf(object: ApiObject): PodFields {
  return object as unknown as PodFields;
}

export function hasEnded({ status }: PodFields): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/**
 * Deletes a pod as the API server does: one that runs on a node is on its way out for its grace
 * period (`graceS`; undefined: its own), until who runs it deletes it without one. True: it is
 * there, and was not on its way out before. Throws StatusError.
 */
export function deletePod(
  store: Store,
  namespace: string,
  name: string,
  graceS: number | undefined,
  nowMs: number,
): boolean {
  const pod = podOf(store.get(PODS, namespace, name));
  const { spec, metadata } = pod;
  const isRunning = spec?.nodeName !== undefined && !hasEnded(pod);
  const wantedS = isRunning ? (graceS ?? spec.terminationGracePeriodSeconds ?? GRACE_S) : 0;
  if (wantedS === 0) {
    store.delete(PODS, namespace, name);
    return false;
  }
  const { deletionTimestamp, deletionGracePeriodSeconds: oldS = 0 } = metadata;
  const isDeleting = deletionTimestamp !== undefined;
  // It can be hurried, not given more time.
  if (isDeleting && wantedS >= oldS) return false;
  const startMs = isDeleting ? Date.parse(deletionTimestamp) - oldS * 1_000 : nowMs;
  store.patch(PODS, namespace, name, 'merge', {
    metadata: {
      deletionTimestamp: `${new Date(startMs + wantedS * 1_000).toISOString().slice(0, 19)}Z`,
      deletionGracePeriodSeconds: wantedS,
    },
  });
  return !isDeleting;
}
