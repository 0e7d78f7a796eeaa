import type { Cluster } from '../cluster/cluster.ts';

const ACCOUNTS = '/api/v1/namespaces/kube-system/serviceaccounts';

/** A token of the ServiceAccount of deploy/, as a pod of it would have. */
export async function accountToken(cluster: Cluster): Promise<string> {
  const { status, body } = await cluster.request(`${ACCOUNTS}/host-upgrades/token`, {
    method: 'POST',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  if (status !== 201) throw new Error(`no token: ${status} ${JSON.stringify(body)}`);
  return body.status.token;
}
