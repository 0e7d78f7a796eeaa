import type { V1DaemonSet } from '@kubernetes/client-node';
import { LOCK_ANNOTATION, type LockObject } from '../../machines/lock.ts';

/** The parts of a DaemonSet that the lock is made of. */
export function lockOf(daemonSet: V1DaemonSet): LockObject {
  const nodes = daemonSet.status?.desiredNumberScheduled;
  return {
    value: daemonSet.metadata?.annotations?.[LOCK_ANNOTATION] ?? '',
    resourceVersion: daemonSet.metadata?.resourceVersion ?? '',
    ...(nodes === undefined ? {} : { nodes }),
  };
}

/**
 * The merge patch that sets the lock to `value` (null clears it) if the object still is the one
 * of `resourceVersion`; otherwise the API server answers 409.
 */
export function lockPatch(value: string | null, resourceVersion: string): unknown {
  return { metadata: { resourceVersion, annotations: { [LOCK_ANNOTATION]: value } } };
}

export function daemonSetPath(namespace: string, name: string): string {
  return `/apis/apps/v1/namespaces/${namespace}/daemonsets/${name}`;
}
