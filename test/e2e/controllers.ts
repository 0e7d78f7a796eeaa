import { program } from '../cluster/build.ts';
import { type Cluster, poll } from '../cluster/cluster.ts';
import { type Process, startProcess } from '../cluster/process.ts';

const LIMIT_MS = 60_000;

/** The controller manager and the scheduler of a cluster that was started for controllers. */
export interface Controllers {
  stop(): Promise<void>;
}

/**
 * Starts them; service accounts and quotas work when this resolves. A node whose kubelet is silent
 * is NotReady after `nodeGraceS`.
 */
export async function startControllers(cluster: Cluster, nodeGraceS = 8): Promise<Controllers> {
  const { folder, ca, serviceAccountKey } = cluster.files;
  const start = (name: 'kube-controller-manager' | 'kube-scheduler', flags: string[]): Process =>
    startProcess(folder, name, program(name), [
      `--kubeconfig=${cluster.kubeconfig}`,
      '--leader-elect=false',
      // Nobody asks them, so they listen nowhere.
      '--secure-port=0',
      ...flags,
    ]);
  const manager = start('kube-controller-manager', [
    `--service-account-private-key-file=${serviceAccountKey}`,
    `--root-ca-file=${ca}`,
    `--node-monitor-grace-period=${nodeGraceS}s`,
    '--node-monitor-period=1s',
  ]);
  const scheduler = start('kube-scheduler', []);
  const stop = async () => {
    await Promise.all([manager.kill(), scheduler.kill()]);
  };
  // Pods are refused until both are there.
  const needed = ['serviceaccounts/default', 'configmaps/kube-root-ca.crt'];
  const isUp = async () => {
    manager.assertRunning();
    scheduler.assertRunning();
    const answers = await Promise.all(
      needed.flatMap((path) =>
        ['default', 'kube-system'].map((namespace) =>
          cluster.request(`/api/v1/namespaces/${namespace}/${path}`),
        ),
      ),
    );
    return answers.every(({ status }) => status === 200);
  };
  try {
    await poll(isUp, LIMIT_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}
