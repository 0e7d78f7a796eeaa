import type { KubernetesObject, V1Node, V1Pod } from '@kubernetes/client-node';
import { LOCK_ANNOTATION } from '../../machines/lock.ts';

/**
 * What happened to the cluster, in order: an object as it became (null: it is gone), or a host that
 * went down or came up.
 */
export type Change =
  | {
      revision: number;
      kind: 'DaemonSet' | 'Node' | 'Pod';
      name: string;
      object: KubernetesObject | null;
    }
  | { revision: number; kind: 'Host'; name: string; isUp: boolean };

export interface NodeView {
  isCordoned: boolean;
  /** `STATUS/REASON` by type. */
  conditions: Record<string, string>;
  annotations: Record<string, string>;
}

export interface PodView {
  labels: Record<string, string>;
  node: string;
  isReady: boolean;
  /** It is being deleted. */
  isLeaving: boolean;
}

/** The cluster after one change. */
export interface Moment {
  revision: number;
  /** The node that the lock names; '': it is free. */
  lock: string;
  nodes: ReadonlyMap<string, NodeView>;
  pods: ReadonlyMap<string, PodView>;
  /** Hosts that are not up. */
  down: ReadonlySet<string>;
}

/** The cluster after each change; the lock is that of the DaemonSet `namespace/name`. */
export function momentsOf(changes: readonly Change[], daemonSet: string): Moment[] {
  const moments: Moment[] = [];
  let moment: Moment = {
    revision: 0,
    lock: '',
    nodes: new Map(),
    pods: new Map(),
    down: new Set(),
  };
  for (const change of changes) {
    moment = { ...moment, revision: change.revision, ...after(moment, change, daemonSet) };
    moments.push(moment);
  }
  return moments;
}

function after(moment: Moment, change: Change, daemonSet: string): Partial<Moment> {
  const { name } = change;
  switch (change.kind) {
    case 'DaemonSet': {
      if (name !== daemonSet) return {};
      return { lock: change.object?.metadata?.annotations?.[LOCK_ANNOTATION] ?? '' };
    }
    case 'Node':
      return { nodes: withEntry(moment.nodes, name, change.object && nodeView(change.object)) };
    case 'Pod':
      return { pods: withEntry(moment.pods, name, change.object && podView(change.object)) };
    case 'Host': {
      const down = new Set(moment.down);
      if (change.isUp) down.delete(name);
      else down.add(name);
      return { down };
    }
  }
}

function withEntry<T>(map: ReadonlyMap<string, T>, name: string, value: T | null): Map<string, T> {
  const next = new Map(map);
  if (value === null) next.delete(name);
  else next.set(name, value);
  return next;
}

function nodeView({ metadata, spec, status }: V1Node): NodeView {
  const conditions = (status?.conditions ?? []).map(
    (one) => [one.type, `${one.status}/${one.reason}`] as const,
  );
  return {
    isCordoned: spec?.unschedulable === true,
    conditions: Object.fromEntries(conditions),
    annotations: metadata?.annotations ?? {},
  };
}

function podView({ metadata, spec, status }: V1Pod): PodView {
  return {
    labels: metadata?.labels ?? {},
    node: spec?.nodeName ?? '',
    isReady:
      status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false,
    isLeaving: metadata?.deletionTimestamp !== undefined,
  };
}
