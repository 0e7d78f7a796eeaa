import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { SourcedConfig } from './credentials.ts';

const KEEP_ALIVE_MS = 30_000;

/**
 * The way to the cluster of a pod, by the files of its service account in `folder`. They are read
 * with each request, since they rotate.
 */
export function serviceAccountConfig(host: string, port: string, folder: string): SourcedConfig {
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const tokenFile = join(folder, 'token');
  const caFile = join(folder, 'ca.crt');
  const cluster = { name: 'in-cluster', server, caFile, skipTLSVerify: false };
  const authProvider = { name: 'tokenFile', config: { tokenFile } };
  return {
    source: 'the service account',
    getCurrentCluster: () => cluster,
    getCurrentUser: () => ({ name: 'service-account', authProvider }),
    async applyToHTTPSOptions(options) {
      options.ca = readFileSync(caFile);
    },
    createDispatcherOptions: (_, { ca }) => ({
      type: 'agent',
      connect: {
        ...(ca === undefined ? {} : { ca }),
        keepAlive: true,
        keepAliveInitialDelay: KEEP_ALIVE_MS,
      },
    }),
  };
}
