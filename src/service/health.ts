import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the probes of the DaemonSet are told. */
export interface Health {
  /** What the node is doing, one line for people. */
  words: string;
  /** Not: the process should be started anew. */
  isAlive: boolean;
  /** Whether a run could begin, or go on, now. */
  isReady: boolean;
}

export interface HealthOptions {
  /** 0: any free one. */
  port: number;
  /** The address to listen on; not given: all of the pod's. */
  host?: string;
  state: () => Health;
}

export interface HealthServer {
  port: number;
  /** Ends what is still connected, too. */
  close(): Promise<void>;
}

/** One line that says what is wrong with the port, and what to do. */
export class HealthError extends Error {}

/** A probe takes moments; who is slower than this, or comes with more at once, is none. */
const LIMIT_MS = 5_000;
const CONNECTIONS_MAX = 32;

/**
 * Answers GET /healthz (200 or 500) and /readyz (200 or 503) with the words. It keeps no process
 * from ending. Throws HealthError where the port cannot be had.
 */
export async function startHealth({ port, host, state }: HealthOptions): Promise<HealthServer> {
  const where = `--health-port=${port}`;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new HealthError(`${where}: not a port; give a number from 1 to 65535, or 0 for none`);
  }
  const server = listener(state);
  server.listen({ port, ...(host === undefined ? {} : { host }) });
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const advice = code === 'EADDRINUSE' ? 'it is in use; give another one' : 'give another one';
    throw new HealthError(`${where}: cannot be listened on (${code}): ${advice}`, { cause: error });
  }
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function listener(state: () => Health): Server {
  const limits = { requestTimeout: LIMIT_MS, headersTimeout: LIMIT_MS };
  const server = createServer(
    { ...limits, connectionsCheckingInterval: LIMIT_MS },
    ({ method = '', url = '' }, response) => {
      const { code, text } = answerTo(method, url, state);
      response.writeHead(code, {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-store',
        // Each probe is a connection of its own anyway.
        connection: 'close',
        ...(code === 405 ? { allow: 'GET, HEAD' } : {}),
      });
      response.end(method === 'HEAD' ? '' : `${text}\n`);
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  return server;
}

function answerTo(
  method: string,
  url: string,
  state: () => Health,
): { code: number; text: string } {
  const [path] = url.split('?');
  if (path !== '/healthz' && path !== '/readyz') {
    return { code: 404, text: 'not found; there are /healthz and /readyz' };
  }
  if (method !== 'GET' && method !== 'HEAD') return { code: 405, text: 'only GET' };
  const bad = path === '/healthz' ? 500 : 503;
  try {
    const { words, isAlive, isReady } = state();
    const isGood = path === '/healthz' ? isAlive : isReady;
    return { code: isGood ? 200 : bad, text: words };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { code: bad, text: `cannot tell what the node is doing: ${message.split('\n')[0]}` };
  }
}
