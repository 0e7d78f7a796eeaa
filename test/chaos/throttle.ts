import type { Cluster } from '../cluster/cluster.ts';
import { SERVICE_ACCOUNT } from './credentials.ts';

const GROUP = '/apis/flowcontrol.apiserver.k8s.io/v1';
const NAME = 'chaos';
const API_VERSION = 'flowcontrol.apiserver.k8s.io/v1';

/**
 * A level of priority and fairness without a single seat. Resolves with what puts the agents' requests
 * into it, which are then refused with 429 and Retry-After, and what takes them out again.
 */
export async function createThrottle(
  cluster: Cluster,
): Promise<{ begin(): Promise<void>; end(): Promise<void> }> {
  const post = async (path: string, body: unknown) => {
    const answer = await cluster.request(`${GROUP}/${path}`, { method: 'POST', body });
    if (answer.status === 201 || answer.status === 409) return;
    throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  await post('prioritylevelconfigurations', {
    apiVersion: API_VERSION,
    kind: 'PriorityLevelConfiguration',
    metadata: { name: NAME },
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 0,
        borrowingLimitPercent: 0,
        limitResponse: { type: 'Reject' },
      },
    },
  });
  return {
    begin: () =>
      post('flowschemas', {
        apiVersion: API_VERSION,
        kind: 'FlowSchema',
        metadata: { name: NAME },
        spec: {
          priorityLevelConfiguration: { name: NAME },
          matchingPrecedence: 2,
          rules: [
            {
              subjects: [{ kind: 'ServiceAccount', serviceAccount: SERVICE_ACCOUNT }],
              resourceRules: [
                {
                  verbs: ['*'],
                  apiGroups: ['*'],
                  resources: ['*'],
                  clusterScope: true,
                  namespaces: ['*'],
                },
              ],
            },
          ],
        },
      }),
    async end() {
      const path = `${GROUP}/flowschemas/${NAME}`;
      const { status } = await cluster.request(path, { method: 'DELETE' });
      if (status !== 200 && status !== 404) throw new Error(`DELETE ${path}: ${status}`);
    },
  };
}
