import { existsSync } from 'node:fs';
import { KubeConfig } from '@kubernetes/client-node';

export class KubeConfigError extends Error {}

/**
 * The way to the cluster: `path` (--kubeconfig), else the pod's own service account, else
 * KUBECONFIG. Throws KubeConfigError with what to do.
 */
export function loadKubeConfig(path: string, env: NodeJS.ProcessEnv): KubeConfig {
  const config = new KubeConfig();
  if (path !== '') return fromFile(config, path, '--kubeconfig');
  if (env.KUBERNETES_SERVICE_HOST && env.KUBERNETES_SERVICE_PORT) {
    config.loadFromCluster();
    return config;
  }
  if (env.KUBECONFIG) return fromFile(config, env.KUBECONFIG, 'KUBECONFIG');
  throw new KubeConfigError(
    'no way to the cluster: not in a pod, and neither --kubeconfig nor KUBECONFIG is set',
  );
}

function fromFile(config: KubeConfig, path: string, source: string): KubeConfig {
  if (!existsSync(path)) throw new KubeConfigError(`${source}=${path}: there is no such file`);
  try {
    config.loadFromFile(path);
  } catch (error) {
    throw new KubeConfigError(`${source}=${path}: not a kubeconfig (${firstLine(error)})`);
  }
  if (!config.getCurrentCluster()) {
    throw new KubeConfigError(`${source}=${path}: no cluster for its current-context`);
  }
  return config;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
