import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import type { SourcedConfig } from './credentials.ts';

/** One line that says what is wrong with the kubeconfig, and where. */
export class KubeConfigError extends Error {}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The way to the cluster: `path` (--kubeconfig), else the pod's own service account, else
 * KUBECONFIG. Throws KubeConfigError with what to do. The service account's files are read with
 * each request, since they rotate.
 */
export function loadKubeConfig(
  path: string,
  env: NodeJS.ProcessEnv,
  serviceAccount = SERVICE_ACCOUNT,
): SourcedConfig {
  if (path !== '') return fromFile(path, `--kubeconfig=${path}`);
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (host && port) return inCluster(host, port, serviceAccount);
  if (env.KUBECONFIG) return fromFile(env.KUBECONFIG, `KUBECONFIG=${env.KUBECONFIG}`);
  throw new KubeConfigError(
    'no way to the cluster: not in a pod, and neither --kubeconfig nor KUBECONFIG is set',
  );
}

function inCluster(host: string, port: string, folder: string): SourcedConfig {
  const config: SourcedConfig = new KubeConfig();
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const tokenFile = join(folder, 'token');
  config.loadFromClusterAndUser(
    { name: 'in-cluster', server, caFile: join(folder, 'ca.crt'), skipTLSVerify: false },
    { name: 'service-account', authProvider: { name: 'tokenFile', config: { tokenFile } } },
  );
  config.source = 'the service account';
  return config;
}

function fromFile(path: string, source: string): SourcedConfig {
  const config: SourcedConfig = new KubeConfig();
  config.source = source;
  const text = readConfig(path, source);
  try {
    config.loadFromString(text);
  } catch (error) {
    // The library looks for fields in whatever the file holds.
    const why = error instanceof TypeError ? '' : ` (${firstLine(error)})`;
    throw new KubeConfigError(`${source}: not a kubeconfig${why}`);
  }
  config.makePathsAbsolute(dirname(path));
  const wrong = problem(config, text);
  if (wrong !== null) throw new KubeConfigError(`${source}: ${wrong}`);
  return config;
}

function readConfig(path: string, source: string): string {
  const isList = path.includes(delimiter) && !existsSync(path);
  if (isList) throw new KubeConfigError(`${source}: a list of files; name one, by --kubeconfig`);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const what = code === 'ENOENT' ? 'there is no such file' : `cannot be read (${message})`;
    throw new KubeConfigError(`${source}: ${what}`);
  }
  if (text.trim() === '') throw new KubeConfigError(`${source}: the file is empty`);
  return text;
}

/** What keeps a kubeconfig that could be parsed from being used; null: nothing. */
function problem(config: KubeConfig, text: string): string | null {
  const name = config.getCurrentContext();
  if (!name) return 'no current-context; set one with kubectl config use-context';
  const context = config.getContextObject(name);
  if (!context) return `no context ${quote(name)}, which is its current-context`;
  const cluster = config.getCurrentCluster();
  if (!cluster) return `no cluster ${quote(context.cluster)}, which context ${quote(name)} names`;
  const user = config.getCurrentUser();
  if (!user) return `no user ${quote(context.user)}, which context ${quote(name)} names`;
  const { protocol } = URL.canParse(cluster.server) ? new URL(cluster.server) : { protocol: '' };
  if (protocol !== 'https:' && protocol !== 'http:') {
    return `server ${quote(cluster.server)} is not an https:// address`;
  }
  if (protocol === 'http:' && !cluster.skipTLSVerify) {
    return `server ${quote(cluster.server)} is not encrypted; allow it with insecure-skip-tls-verify: true`;
  }
  const files = [cluster.caFile, user.certFile, user.keyFile];
  const lacking = files.find((file) => file && !existsSync(file));
  if (lacking) return `there is no file ${lacking}, which it names`;
  const hasToken = user.token || user.certFile || user.certData || user.exec || user.authProvider;
  if (!hasToken && /^\s*(- )?tokenFile:/m.test(text)) {
    return `user ${quote(user.name)} has a tokenFile, which is only read in a pod; use a token, a client certificate or exec`;
  }
  return null;
}

function quote(text: string): string {
  return JSON.stringify(text);
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
