import type { AgentOptions, RequestOptions } from 'node:https';
import { Agent, type Dispatcher } from 'undici';
import type { SourcedConfig } from './credentials.ts';

/**
 * Between two PINGs of a connection. One that is unanswered when the next is due closes it with
 * all that runs over it, so that a dead server is noticed within twice this time, at no request.
 */
export const PING_MS = 30_000;

export interface Connections {
  /** The pool to use now. */
  current(): Promise<Dispatcher>;
  /** `used` gave no answer in time: all that runs over it is as dead. */
  abandon(used: Dispatcher): Promise<void>;
  /**
   * `used` has TLS files that may have changed: the next pool reads them again. What still runs
   * over it, like a watch, goes on.
   */
  retire(used: Dispatcher): void;
  close(): Promise<void>;
}

/** One connection pool at a time; a server that goes away by itself is left to the pool. */
export function createConnections(config: SourcedConfig, pingMs: number): Connections {
  let pool: Dispatcher | null = null;
  const retire = (used: Dispatcher) => {
    if (pool === used) pool = null;
  };
  return {
    async current() {
      const own = pool ?? (await connectionPool(config, pingMs));
      pool ??= own;
      return pool;
    },
    async abandon(used) {
      retire(used);
      await used.destroy(new Error('another request on this connection got no answer'));
    },
    retire,
    async close() {
      await pool?.destroy();
    },
  };
}

/**
 * A pool with the kubeconfig's TLS files as they now are. An environment's HTTPS_PROXY is not for
 * the API server; the kubeconfig's proxy-url is.
 */
async function connectionPool(config: SourcedConfig, pingMs: number): Promise<Dispatcher> {
  const tls: RequestOptions & AgentOptions = {};
  await config.applyToHTTPSOptions(tls);
  const options = config.createDispatcherOptions(config.getCurrentCluster(), tls);
  const isProxied = options.type === 'proxy' || options.type === 'socks';
  const dispatcher = isProxied ? await config.proxied?.() : undefined;
  return (
    dispatcher ??
    new Agent({
      connect: options.type === 'agent' ? (options.connect as Agent.Options['connect'] & {}) : {},
      h2Options: { pingInterval: pingMs },
      // Requests and watches have limits of their own.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  );
}
