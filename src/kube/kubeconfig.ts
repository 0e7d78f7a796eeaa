import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { HttpMethod, KubeConfig, RequestContext } from '@kubernetes/client-node';
import type { Dispatcher } from 'undici';
import { KubeConfigError } from './config.ts';
import type { SourcedConfig } from './credentials.ts';

/**
 * The kubeconfig at `path`, which a person finds by `source`. Throws KubeConfigError. A module of
 * its own, loaded where there is such a file: the library takes longer to load than all the rest,
 * and a pod has no need of it.
 */
export function fromFile(path: string, source: string): SourcedConfig {
  const config: KubeConfig & SourcedConfig = new KubeConfig();
  config.source = source;
  config.proxied = () => proxied(config);
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

/** The library's own way through the proxy that the kubeconfig names. */
async function proxied(config: KubeConfig): Promise<Dispatcher | undefined> {
  const context = new RequestContext(config.getCurrentCluster()?.server ?? '', HttpMethod.GET);
  await config.applySecurityAuthentication(context);
  return context.getDispatcher();
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
