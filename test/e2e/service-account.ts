import { readFileSync } from 'node:fs';
import type { V1DaemonSet, V1Pod, V1RoleBinding, V1RoleRef } from '@kubernetes/client-node';
import { type Cluster, poll } from '../cluster/cluster.ts';
import type { Grant } from './audit.ts';

const NAMESPACE = 'kube-system';
const NAME = 'host-upgrades';
const LIMIT_MS = 60_000;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** Who the agents are to the API server. */
export const USER = `system:serviceaccount:${NAMESPACE}:${NAME}`;

/**
 * What the kubelet puts into the DaemonSet's pod on `node`: a token that is valid as long as that
 * pod is there, and the API server's certificate. Waits until there is a pod.
 */
export async function tokenOf(
  cluster: Cluster,
  { metadata, spec }: V1DaemonSet,
  node: string,
): Promise<{ token: string; 'ca.crt': string }> {
  let name = '';
  await poll(async () => {
    const { body } = await cluster.request(
      `/api/v1/namespaces/${NAMESPACE}/pods?fieldSelector=spec.nodeName%3D${node}`,
    );
    const pods = body.items as V1Pod[];
    const isOurs = (pod: V1Pod) =>
      pod.metadata?.ownerReferences?.some(({ uid }) => uid === metadata?.uid) &&
      pod.metadata.deletionTimestamp === undefined;
    name = pods.find(isOurs)?.metadata?.name ?? '';
    return name !== '';
  }, LIMIT_MS);
  const account = spec?.template.spec?.serviceAccountName;
  const { status, body } = await cluster.request(
    `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${account}/token`,
    {
      method: 'POST',
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { audiences: [], boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name } },
      },
    },
  );
  if (status !== 201) throw new Error(`no token for ${account}: ${status} ${body.message}`);
  return { token: body.status.token, 'ca.crt': readFileSync(cluster.files.ca, 'utf8') };
}

/** What the roles bound to the agents' ServiceAccount grant. */
export async function grantsOf(cluster: Cluster): Promise<Grant[]> {
  const list = async (resource: string) =>
    (await cluster.request(`${RBAC}/${resource}`)).body.items as V1RoleBinding[];
  const bindings = [...(await list('rolebindings')), ...(await list('clusterrolebindings'))];
  const ours = bindings.filter(({ subjects }) =>
    subjects?.some(
      (one) => one.kind === 'ServiceAccount' && one.name === NAME && one.namespace === NAMESPACE,
    ),
  );
  return Promise.all(
    ours.map(async ({ metadata, roleRef }) => {
      const namespace = metadata?.namespace ?? '';
      return { namespace, rules: (await cluster.request(rolePath(roleRef, namespace))).body.rules };
    }),
  );
}

function rolePath({ kind, name }: V1RoleRef, namespace: string): string {
  if (kind === 'ClusterRole') return `${RBAC}/clusterroles/${name}`;
  return `${RBAC}/namespaces/${namespace}/roles/${name}`;
}
