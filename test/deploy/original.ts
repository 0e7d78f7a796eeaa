import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { daemonSetPath } from '../kube/objects.ts';

const NAME = 'host-upgrades';
const NAMESPACE = 'kube-system';
const RBAC = 'rbac.authorization.k8s.io';

/** How the Go program was deployed: the shape of its objects, as far as it matters here. */
export function originalObjects(): object {
  const hostPaths = {
    'host-upgrades': '/run/host-upgrades',
    dbus: '/var/run/dbus',
    journal: '/run/log/journal',
  };
  const account = { kind: 'ServiceAccount', name: NAME, namespace: NAMESPACE };
  const role = {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name: NAME },
    rules: [
      { apiGroups: ['apps'], resources: ['daemonsets'], verbs: ['get', 'watch', 'update'] },
      { apiGroups: [''], resources: ['nodes', 'nodes/status'], verbs: ['get', 'update'] },
    ],
  };
  const binding = {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: NAME },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: NAME },
    subjects: [account],
  };
  const container = {
    name: NAME,
    image: 'example/pharos-host-upgrades:0.3.1',
    command: ['pharos-host-upgrades'],
    args: ['--schedule=0 3 * * *', '--reboot', '--drain'],
    env: [{ name: 'KUBE_DAEMONSET', value: NAME }],
    securityContext: { privileged: true },
    volumeMounts: [
      { name: 'config', mountPath: '/etc/host-upgrades' },
      ...Object.entries(hostPaths).map(([name, mountPath]) => ({ name, mountPath })),
    ],
  };
  const labels = { app: NAME };
  const daemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: NAME, namespace: NAMESPACE, labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: NAME,
          tolerations: [{ effect: 'NoSchedule', operator: 'Exists' }],
          containers: [container],
          volumes: [
            { name: 'config', configMap: { name: NAME } },
            ...Object.entries(hostPaths).map(([name, path]) => ({ name, hostPath: { path } })),
          ],
        },
      },
    },
  };
  const config = { kind: 'ConfigMap', data: { 'unattended-upgrades.conf': '' } };
  const own = { apiVersion: 'v1', metadata: { name: NAME, namespace: NAMESPACE } };
  const items = [{ ...own, kind: 'ServiceAccount' }, { ...own, ...config }, role, binding];
  return { apiVersion: 'v1', kind: 'List', items: [...items, daemonSet] };
}

/**
 * The lock as the Go program writes it: the whole DaemonSet is read and put back with its
 * resourceVersion, less the fields that a client of its day does not know. Whether it got in; not
 * where the object has changed in between, or the lock is not the value expected. As the
 * administrator: the account of deploy/ may no longer update.
 */
export async function putLock(
  cluster: Cluster,
  expected: string | null,
  value: string | null,
): Promise<boolean> {
  const { body } = await cluster.request(daemonSetPath(NAME));
  const annotations = body.metadata.annotations ?? {};
  if ((annotations[LOCK_ANNOTATION] ?? null) !== expected) return false;
  if (value === null) delete annotations[LOCK_ANNOTATION];
  else annotations[LOCK_ANNOTATION] = value;
  body.metadata.annotations = annotations;
  delete body.metadata.managedFields;
  const pod = body.spec.template.spec;
  delete pod.securityContext?.seccompProfile;
  for (const container of pod.containers) {
    delete container.startupProbe;
    delete container.securityContext?.appArmorProfile;
  }
  const { status } = await cluster.request(daemonSetPath(NAME), { method: 'PUT', body });
  if (status !== 200 && status !== 409) throw new Error(`PUT: ${status}`);
  return status === 200;
}
