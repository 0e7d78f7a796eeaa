import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { authority } from './headers.ts';
import { type Contents, routes } from './routes.ts';

export interface Address {
  /** An IP address or a name, without brackets. */
  host: string;
  /** 0: any free one. */
  port: number;
  /** Where the port is taken, any free one. */
  isPortFree: boolean;
}

export interface Inspector {
  /** Where a browser finds it. */
  url: string;
  /** Ends what is still connected, too. */
  close(): Promise<void>;
}

/** It cannot listen; one line. */
export class InspectorError extends Error {}

/** A request of a browser takes moments; who takes longer keeps others from being served. */
const LIMITS = {
  headersTimeout: 3_000,
  requestTimeout: 5_000,
  keepAliveTimeout: 3_000,
  connectionsCheckingInterval: 1_000,
};
/** What comes when so many are open is closed at once, and comes again. */
const CONNECTIONS_MAX = 64;

/**
 * Serves the inspector until it is closed; what goes wrong with a request ends with its connection.
 * Throws InspectorError where it cannot listen.
 */
export async function startInspector(address: Address, contents: Contents): Promise<Inspector> {
  const server = createServer(LIMITS, routes(contents, address.host));
  server.maxConnections = CONNECTIONS_MAX;
  await listen(server, address);
  // Such as no descriptor being left for a connection: that one is lost, and its browser comes again.
  server.on('error', () => {});
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${authority(reachable(address.host), port)}/`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, { host, port, isPortFree }: Address): Promise<void> {
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' && isPortFree) {
      return listen(server, { host, port: 0, isPortFree: false });
    }
    const why = code === 'EADDRINUSE' ? 'it is in use; give another port' : 'give another address';
    throw new InspectorError(`${authority(host, port)}: cannot be listened on (${code}): ${why}`);
  }
}

/** All of a machine's addresses are none that a browser can go to. */
function reachable(host: string): string {
  return host === '0.0.0.0' || host === '::' ? 'localhost' : host;
}
