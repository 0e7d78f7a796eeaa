import { readFileSync } from 'node:fs';
import type { AgentOptions, RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Dispatcher } from 'undici';
import { CredentialsError } from './errors.ts';

/** What the client needs of a kubeconfig: the library's, or a service account. */
export type SourcedConfig = Pick<
  KubeConfig,
  'getCurrentCluster' | 'getCurrentUser' | 'applyToHTTPSOptions' | 'createDispatcherOptions'
> & {
  /** Where it comes from, e.g. `--kubeconfig=PATH`. */
  source?: string;
  /** The way through the proxy, where it names one. */
  proxied?: () => Promise<Dispatcher | undefined>;
};

/**
 * The headers that carry the credentials. Throws CredentialsError where a file is not readable or
 * a plugin fails.
 */
export async function authorize(config: SourcedConfig): Promise<Record<string, string>> {
  const options: RequestOptions & AgentOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
    const headers = { ...(options.headers as Record<string, string> | undefined) };
    if (options.auth) {
      headers.Authorization ??= `Basic ${Buffer.from(options.auth).toString('base64')}`;
    }
    // The library keeps one token of one file for a minute, for the whole process; it rotates.
    const file = tokenFile(config);
    const token = file === null ? '' : readFileSync(file, 'utf8').trim();
    if (token !== '') headers.Authorization = `Bearer ${token}`;
    return headers;
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

function tokenFile(config: SourcedConfig): string | null {
  const file = config.getCurrentUser()?.authProvider?.config?.tokenFile;
  return typeof file === 'string' ? file : null;
}
