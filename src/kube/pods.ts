import type { V1Pod } from '@kubernetes/client-node';

/** A pod of a list: it always has a name, a namespace and a uid. */
export type Pod = V1Pod & { metadata: { name: string; namespace: string; uid: string } };

/** `namespace/name`, as events and messages name a pod. */
export function podId({ metadata: { namespace, name } }: Pod): string {
  return `${namespace}/${name}`;
}

/** The API server's image of a pod that the kubelet runs from a file: deleting it ends nothing. */
export function isMirror({ metadata }: Pod): boolean {
  return metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;
}

export interface Owner {
  kind: string;
  name: string;
  uid: string;
}

/** What made the pod, and makes another one in its place; null: nothing does. */
export function controllerOf({ metadata }: Pod): Owner | null {
  return metadata.ownerReferences?.find(({ controller }) => controller === true) ?? null;
}

/** It has ended by itself: nobody is disrupted when it goes. */
export function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** It may be put on a cordoned node: only such a pod can come back to one that is being drained. */
export function toleratesCordon({ spec }: Pod): boolean {
  return (spec?.tolerations ?? []).some(
    ({ key = '', operator, effect = '' }) =>
      (key === '' ? operator === 'Exists' : key === 'node.kubernetes.io/unschedulable') &&
      (effect === '' || effect === 'NoSchedule'),
  );
}

export function isDeleting({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/**
 * How long ago its deletion was asked for, in ms; null: it was not. The API server's
 * deletionTimestamp is when the pod's grace period ends, which may be far ahead. Never negative,
 * although the clocks of two machines differ.
 */
export function deletingForMs({ metadata }: Pod, nowMs: number): number | null {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  if (deletionTimestamp === undefined) return null;
  const startMs = new Date(deletionTimestamp).getTime() - deletionGracePeriodSeconds * 1_000;
  return Math.max(0, nowMs - startMs);
}
