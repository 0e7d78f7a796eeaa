import { KubeConfig } from '@kubernetes/client-node';
import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import type { ApiObject } from './objects.ts';
import { DAEMON_SETS, NODES } from './routes.ts';
import type { Store } from './store.ts';

export const NAMESPACE = 'kube-system';
export const DAEMON_SET = 'host-upgrades';
export const TOKEN = 'rehearsal';

/** What a cluster has before the rollout: the nodes and the DaemonSet that carries the lock. */
export function createObjects(store: Store, nodes: readonly string[]): void {
  store.create(DAEMON_SETS, NAMESPACE, {
    metadata: { name: DAEMON_SET, namespace: NAMESPACE },
    spec: { selector: { matchLabels: { app: DAEMON_SET } } },
    status: { desiredNumberScheduled: nodes.length },
  });
  for (const name of nodes) {
    store.create(NODES, '', { metadata: { name }, status: { conditions: [] } });
  }
}

export function lockHolder(store: Store): string {
  return holderIn(store.get(DAEMON_SETS, NAMESPACE, DAEMON_SET));
}

/** Calls `onHolder` with the lock's value after each change of the DaemonSet. */
export function watchHolder(store: Store, onHolder: (holder: string) => void): void {
  store.watch(DAEMON_SETS, NAMESPACE, store.version, ({ object }) => onHolder(holderIn(object)));
}

/** Calls `onChange` whenever a node is cordoned or uncordoned. */
export function watchCordons(
  store: Store,
  onChange: (node: string, isCordoned: boolean) => void,
): void {
  const cordoned = new Set<string>();
  store.watch(NODES, '', store.version, ({ object: { metadata, spec } }) => {
    const { name } = metadata;
    const isCordoned = (spec as { unschedulable?: boolean } | undefined)?.unschedulable === true;
    if (isCordoned === cordoned.has(name)) return;
    if (isCordoned) cordoned.add(name);
    else cordoned.delete(name);
    onChange(name, isCordoned);
  });
}

function holderIn({ metadata }: ApiObject): string {
  const annotations = (metadata.annotations ?? {}) as Record<string, string>;
  return annotations[LOCK_ANNOTATION] ?? '';
}

/** As the DaemonSet controller does whenever a pod comes or goes. */
export function touchDaemonSet(store: Store): void {
  const { status } = store.get(DAEMON_SETS, NAMESPACE, DAEMON_SET);
  const before = (status as { numberUnavailable?: number }).numberUnavailable ?? 0;
  const patch = { status: { numberUnavailable: 1 - before } };
  store.patch(DAEMON_SETS, NAMESPACE, DAEMON_SET, 'merge', patch);
}

/** Makes the versions gone that lock reads begin their watches with: a Node changes meanwhile. */
export function compact(store: Store, node: string): void {
  const metadata = { annotations: { 'rehearsal/heartbeat': `${store.version}` } };
  store.patch(NODES, '', node, 'merge', { metadata });
  store.compact();
}

export function kubeConfig(server: string): KubeConfig {
  const config = new KubeConfig();
  // The library wants this said for plain HTTP, which is all that a loopback server needs.
  config.loadFromClusterAndUser(
    { name: 'rehearsal', server, skipTLSVerify: true },
    { name: 'node', token: TOKEN },
  );
  return config;
}
