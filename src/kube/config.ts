import type { SourcedConfig } from './credentials.ts';
import { serviceAccountConfig } from './service-account.ts';

/** One line that says what is wrong with the kubeconfig, and where. */
export class KubeConfigError extends Error {}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The way to the cluster: `path` (--kubeconfig), else the pod's own service account, else
 * KUBECONFIG. Rejects with KubeConfigError:  what to do. The service account's files are read with
 * each request, since they rotate.
 */
export async function loadKubeConfig(
  path: string,
  env: NodeJS.ProcessEnv,
  serviceAccount = SERVICE_ACCOUNT,
): Promise<SourcedConfig> {
  if (path !== '') return fromFile(path, `--kubeconfig=${path}`);
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (host && port) return serviceAccountConfig(host, port, serviceAccount);
  if (env.KUBECONFIG) return fromFile(env.KUBECONFIG, `KUBECONFIG=${env.KUBECONFIG}`);
  throw new KubeConfigError(
    'no way to the cluster: not in a pod, and neither --kubeconfig nor KUBECONFIG is set',
  );
}

async function fromFile(path: string, source: string): Promise<SourcedConfig> {
  return (await import('./kubeconfig.ts')).fromFile(path, source);
}
