import type { KubernetesObject, V1DaemonSet } from '@kubernetes/client-node';
import { RULES } from '../../src/kube/rbac.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { CONFIG } from '../hosts/program.ts';
import { MERGE_PATCH } from '../kube/objects.ts';
import { kubectl } from './kubectl.ts';

const NAME = 'host-upgrades';
const NAMESPACE = 'kube-system';
const DAEMON_SET = `/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets/${NAME}`;
const CONFIG_MAP = `/api/v1/namespaces/${NAMESPACE}/configmaps/${NAME}`;

/**
 * Applies the objects of an installation, configured for the tests' repository; the DaemonSet as
 * the API server has it.
 */
export async function install(cluster: Cluster): Promise<V1DaemonSet> {
  const items = objects();
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await kubectl(cluster, ['apply', '--filename=-'], list);
  const body = { data: { 'unattended-upgrades.conf': CONFIG } };
  await cluster.request(CONFIG_MAP, { method: 'PATCH', type: MERGE_PATCH, body });
  return (await cluster.request(DAEMON_SET)).body;
}

function objects(): KubernetesObject[] {
  const metadata = { name: NAME, namespace: NAMESPACE };
  const rbac = 'rbac.authorization.k8s.io/v1';
  const subjects = [{ kind: 'ServiceAccount', name: NAME, namespace: NAMESPACE }];
  const roles = (['Role', 'ClusterRole'] as const).flatMap((kind) => {
    const rules = RULES.filter((rule) => rule.kind === kind).map(({ kind: _, ...rule }) => rule);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name: NAME };
    return [
      { apiVersion: rbac, kind, metadata, rules },
      { apiVersion: rbac, kind: `${kind}Binding`, metadata, roleRef, subjects },
    ];
  });
  const mounts = {
    '/var/run/dbus': 'Directory',
    '/run/host-upgrades': 'DirectoryOrCreate',
    '/var/lib/host-upgrades': 'DirectoryOrCreate',
    '/var/log': 'Directory',
  };
  const paths = Object.entries(mounts).map(([path, type], index) => ({
    path,
    type,
    name: `host-${index}`,
  }));
  const labels = { app: NAME };
  const spec = {
    serviceAccountName: NAME,
    tolerations: [
      { operator: 'Exists', effect: 'NoSchedule' },
      { operator: 'Exists', effect: 'NoExecute' },
    ],
    containers: [
      {
        name: NAME,
        image: 'example/none',
        args: ['--log-format=json'],
        env: [
          { name: 'TZ', value: 'UTC' },
          { name: 'KUBE_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
          { name: 'KUBE_DAEMONSET', value: NAME },
          { name: 'KUBE_NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
        ],
        volumeMounts: [
          { name: 'config', mountPath: '/etc/host-upgrades' },
          ...paths.map(({ name, path }) => ({ name, mountPath: path })),
        ],
      },
    ],
    volumes: [
      { name: 'config', configMap: { name: NAME } },
      ...paths.map(({ name, path, type }) => ({ name, hostPath: { path, type } })),
    ],
  };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata },
    ...roles,
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata,
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    } as V1DaemonSet,
  ];
}
