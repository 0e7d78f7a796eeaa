import { fileURLToPath } from 'node:url';
import type { V1DaemonSet } from '@kubernetes/client-node';
import type { Cluster } from '../cluster/cluster.ts';
import { CONFIG } from '../hosts/program.ts';
import { MERGE_PATCH } from '../kube/objects.ts';
import { kubectl } from './kubectl.ts';

const NAME = 'host-upgrades';
const NAMESPACE = 'kube-system';
const DEPLOY = fileURLToPath(new URL('../../deploy', import.meta.url));
const DAEMON_SET = `/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets/${NAME}`;
const CONFIG_MAP = `/api/v1/namespaces/${NAMESPACE}/configmaps/${NAME}`;

/**
 * Applies deploy/, configured for the tests' repository; the DaemonSet as the API server has it.
 */
export async function install(cluster: Cluster): Promise<V1DaemonSet> {
  await kubectl(cluster, ['apply', `--kustomize=${DEPLOY}`]);
  const body = { data: { 'unattended-upgrades.conf': CONFIG } };
  await cluster.request(CONFIG_MAP, { method: 'PATCH', type: MERGE_PATCH, body });
  return (await cluster.request(DAEMON_SET)).body;
}
