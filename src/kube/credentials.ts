import { readFileSync } from 'node:fs';
import { HttpMethod, type KubeConfig, RequestContext } from '@kubernetes/client-node';
import { CredentialsError } from './errors.ts';

/** A kubeconfig that may know where it comes from, e.g. `--kubeconfig=PATH`. */
export type SourcedConfig = KubeConfig & { source?: string };

/**
 * The library's request context for `url`: its headers carry the credentials. Throws
 * CredentialsError where a file is not readable or a plugin fails.
 */
export async function authorize(config: KubeConfig, url: string): Promise<RequestContext> {
  const context = new RequestContext(url, HttpMethod.GET);
  try {
    await config.applySecurityAuthentication(context);
    // The library keeps one token of one file for a minute, for the whole process; it rotates.
    const file = tokenFile(config);
    const token = file === null ? '' : readFileSync(file, 'utf8').trim();
    if (token !== '') context.setHeaderParam('Authorization', `Bearer ${token}`);
    return context;
  } catch (error) {
    throw new CredentialsError((error as Error).message, { cause: error });
  }
}

/** The credentials by the name under which a person finds them. */
export function credentialsName(config: SourcedConfig): string {
  const file = tokenFile(config);
  if (file !== null) return `token file ${file}`;
  const user = config.getCurrentUser()?.name ?? '';
  return `user ${JSON.stringify(user)} of ${config.source ?? 'the kubeconfig'}`;
}

/** What the server's certificate is verified with, by the name under which a person finds it. */
export function authorityName(config: SourcedConfig): string {
  const cluster = config.getCurrentCluster();
  if (cluster?.caFile) return cluster.caFile;
  const source = config.source ?? 'the kubeconfig';
  return cluster?.caData
    ? `certificate-authority-data of ${source}`
    : `the public authorities, since ${source} names none`;
}

function tokenFile(config: KubeConfig): string | null {
  const file = config.getCurrentUser()?.authProvider?.config?.tokenFile;
  return typeof file === 'string' ? file : null;
}
