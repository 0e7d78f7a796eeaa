import type { V1DaemonSet, V1Node, V1Pod, V1PodDisruptionBudget } from '@kubernetes/client-node';
import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import { DRAIN_ANNOTATION } from '../../src/kube/annotations.ts';
import type { KeyChange } from '../cluster/recorder.ts';
import type { HostChange } from './host.ts';

/** What the judge is told of the cluster, in etcd's order. */
export type Fact = { revision: number; atMs: number } & (
  | { kind: 'lock'; holder: string }
  | { kind: 'node'; node: string; isCordoned: boolean; isMarked: boolean }
  | ({ kind: 'pod' } & PodFact)
  | { kind: 'budget'; object: V1PodDisruptionBudget }
  | { kind: 'host'; node: string; change: HostChange }
  /** An administrator is about to change a node. */
  | { kind: 'administrator'; node: string; does: 'cordon' | 'uncordon' }
);

export interface PodFact {
  pod: string;
  uid: string;
  node: string;
  isReady: boolean;
  /** It is being deleted. */
  isLeaving: boolean;
  isGone: boolean;
}

const HOSTS = '/chaos/hosts/';
const ADMINISTRATOR = '/chaos/administrator/';

export const hostKey = (node: string) => `${HOSTS}${node}`;
export const administratorKey = (node: string) => `${ADMINISTRATOR}${node}`;

/** What a change of etcd means; null: nothing to the judge. The lock is on `lockKey`'s DaemonSet. */
export function factOf(change: KeyChange, lockKey: string, atMs: number): Fact | null {
  const { key, value, revision } = change;
  const at = { revision, atMs };
  const name = key.slice(key.lastIndexOf('/') + 1);
  if (key === lockKey) {
    const { metadata } = parse<V1DaemonSet>(value);
    return { ...at, kind: 'lock', holder: metadata?.annotations?.[LOCK_ANNOTATION] ?? '' };
  }
  if (key.startsWith('/registry/minions/')) {
    const { spec, metadata } = parse<V1Node>(value);
    const isMarked = metadata?.annotations?.[DRAIN_ANNOTATION] !== undefined;
    return { ...at, kind: 'node', node: name, isCordoned: spec?.unschedulable === true, isMarked };
  }
  if (key.startsWith('/registry/pods/')) {
    const { metadata, spec, status } = parse<V1Pod>(value);
    return {
      ...at,
      kind: 'pod',
      pod: name,
      uid: metadata?.uid ?? '',
      node: spec?.nodeName ?? '',
      isReady: status?.conditions?.some((one) => one.type === 'Ready') ?? false,
      isLeaving: metadata?.deletionTimestamp !== undefined,
      isGone: value === null,
    };
  }
  if (key.startsWith('/registry/poddisruptionbudgets/') && value !== null) {
    return { ...at, kind: 'budget', object: parse<V1PodDisruptionBudget>(value) };
  }
  if (key.startsWith(HOSTS)) {
    return { ...at, kind: 'host', node: name, change: value as HostChange };
  }
  if (key.startsWith(ADMINISTRATOR)) {
    const does = value === 'cordon' ? 'cordon' : 'uncordon';
    return { ...at, kind: 'administrator', node: name, does };
  }
  return null;
}

function parse<T extends object>(value: string | null): Partial<T> {
  return value === null ? {} : (JSON.parse(value) as Partial<T>);
}
