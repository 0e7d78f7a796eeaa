import type { V1Node } from '@kubernetes/client-node';
import type { Cluster } from '../cluster/cluster.ts';
import { poll } from '../cluster/cluster.ts';
import { type Process, startProcess } from '../cluster/process.ts';
import { kwok } from '../kwok/build.ts';

const LIMIT_MS = 60_000;

/**
 * What stands in for the kubelet of one node: it keeps the lease, sets the node's own conditions,
 * and has pods running and ended at once. One process a node, so that it goes down with its host.
 */
export interface Kubelet {
  stop(): Promise<void>;
}

/** Starts it for the Node `name`, which is made where there is none. Ready when this resolves. */
export async function startKubelet(cluster: Cluster, name: string): Promise<Kubelet> {
  const { program, stages } = kwok();
  const path = `/api/v1/nodes/${name}`;
  await register(cluster, name);
  const silentSinceMs = Date.now();
  const kubelet: Process = startProcess(cluster.files.folder, `kwok-${name}`, program, [
    `--kubeconfig=${cluster.kubeconfig}`,
    `--manage-single-node=${name}`,
    // Renewed in a quarter of that.
    '--node-lease-duration-seconds=4',
    ...stages.map((stage) => `--config=${stage}`),
  ]);
  const isReady = async () => {
    kubelet.assertRunning();
    const [node, lease] = await Promise.all([
      cluster.request(path),
      cluster.request(`/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`),
    ]);
    const renewedMs = Date.parse(lease.body.spec?.renewTime ?? '');
    return renewedMs >= silentSinceMs && takesPods(node.body);
  };
  try {
    await poll(isReady, LIMIT_MS);
  } catch (error) {
    await kubelet.kill();
    throw error;
  }
  return { stop: () => kubelet.kill() };
}

/** Ready, and the controllers know it; a cordon is somebody else's matter. */
function takesPods({ spec, status }: V1Node): boolean {
  const isReady = status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True');
  const isShunned = spec?.taints?.some(({ key }) => /\/(not-ready|unreachable)$/.test(key));
  return isReady === true && isShunned !== true;
}

/** As a kubelet does when it first starts. */
async function register(cluster: Cluster, name: string): Promise<void> {
  const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' };
  const body = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } };
  const { status } = await cluster.request('/api/v1/nodes', { method: 'POST', body });
  if (status !== 201 && status !== 409) throw new Error(`POST node ${name}: ${status}`);
}
