import { sign } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../cluster/cluster.ts';

const NAMESPACE = 'kube-system';
const NAME = 'host-upgrades';
const ISSUER = 'https://kubernetes.default.svc';
/** The API server itself gives none that are valid for less than ten minutes. */
const VALID_S = 60;

export const SERVICE_ACCOUNT = { namespace: NAMESPACE, name: NAME };

/** What a kubelet keeps fresh in a pod. */
export interface Credentials {
  folder: string;
  /** A new token; `validS` negative: one that has expired so long ago. */
  renewToken(validS?: number): void;
  /** What the API server is verified with, as it is now. */
  renewAuthority(): void;
}

/**
 * Gives what makes them for `folder`s. Tokens are those of the DaemonSet's ServiceAccount, signed
 * with the cluster's own key.
 */
export async function credentialsOf(cluster: Cluster): Promise<(folder: string) => Credentials> {
  const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${NAME}`;
  const { status, body } = await cluster.request(path);
  if (status !== 200) throw new Error(`GET ${path}: ${status}`);
  const key = readFileSync(cluster.files.serviceAccountKey, 'utf8');
  const token = (validS: number) => {
    const nowS = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: ISSUER,
      aud: [ISSUER],
      sub: `system:serviceaccount:${NAMESPACE}:${NAME}`,
      iat: Math.min(nowS, nowS + validS) - VALID_S,
      nbf: Math.min(nowS, nowS + validS) - VALID_S,
      exp: nowS + validS,
      'kubernetes.io': {
        namespace: NAMESPACE,
        serviceaccount: { name: NAME, uid: body.metadata.uid },
      },
    };
    const text = [{ alg: 'RS256' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`;
  };
  return (folder) => {
    mkdirSync(folder, { recursive: true });
    /** All or nothing, as the kubelet's symbolic link. */
    const write = (name: string, text: string) => {
      const next = join(folder, `.${name}`);
      writeFileSync(next, text);
      renameSync(next, join(folder, name));
    };
    const credentials: Credentials = {
      folder,
      renewToken: (validS = VALID_S) => write('token', token(validS)),
      renewAuthority: () => write('ca.crt', readFileSync(cluster.files.ca, 'utf8')),
    };
    credentials.renewToken();
    credentials.renewAuthority();
    return credentials;
  };
}
