import { readFileSync } from 'node:fs';
import { HttpMethod, type KubeConfig, RequestContext } from '@kubernetes/client-node';
import { type Dispatcher, fetch, type Response } from 'undici';
import { ApiError, networkError, statusError } from './errors.ts';

export interface RequestSpec {
  method: 'GET' | 'PATCH';
  /** Path and query, from the server's root on. */
  path: string;
  /** A patch: sent as JSON with `contentType`. */
  body?: unknown;
  contentType?: string;
}

export interface KubeClient {
  server: string;
  /** The answer's JSON body. Throws ApiError: refused, timed out, or not 2xx. */
  request(spec: RequestSpec): Promise<unknown>;
  /** A streaming answer, for watches; the caller's signal bounds it. Throws ApiError. */
  open(spec: RequestSpec, signal: AbortSignal): Promise<Response>;
  close(): Promise<void>;
}

export interface ClientOptions {
  userAgent: string;
  /** For one request with its answer; a watch has limits of its own. */
  requestTimeoutMs?: number;
  /** Pauses before a refused token is tried again: a new one may not be known everywhere yet. */
  unauthorizedPausesMs?: number[];
}

const REQUEST_TIMEOUT_MS = 30_000;
const UNAUTHORIZED_PAUSES_MS = [500, 2_000, 5_000];

/**
 * Requests with the kubeconfig's server, TLS and credentials over one connection pool. The typed
 * client of the library is not used: it makes a new pool for each request, sets no timeout, and
 * drops the fields it does not know.
 */
export function createClient(config: KubeConfig, options: ClientOptions): KubeClient {
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new Error('the kubeconfig has no current cluster');
  const timeoutMs = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const pauses = options.unauthorizedPausesMs ?? UNAUTHORIZED_PAUSES_MS;
  let pool: Dispatcher | undefined;

  const send = async (spec: RequestSpec, signal: AbortSignal): Promise<Response> => {
    const url = `${cluster.server}${spec.path}`;
    const context = new RequestContext(url, HttpMethod.GET);
    await config.applySecurityAuthentication(context);
    // Each context comes with a pool of its own; the first one is kept, the others never connect.
    pool ??= context.getDispatcher();
    try {
      const response = await fetch(url, {
        method: spec.method,
        headers: {
          ...context.getHeaders(),
          ...freshToken(config),
          'user-agent': options.userAgent,
          ...(spec.body === undefined ? {} : { 'content-type': spec.contentType ?? '' }),
        },
        body: spec.body === undefined ? null : JSON.stringify(spec.body),
        signal,
        ...(pool === undefined ? {} : { dispatcher: pool }),
      });
      if (response.ok) return response;
      throw statusError(
        response.status,
        await response.text(),
        response.headers.get('retry-after'),
      );
    } catch (error) {
      throw error instanceof ApiError ? error : networkError(spec.method, url, error);
    }
  };

  const open: KubeClient['open'] = async (spec, signal) => {
    for (const pauseMs of pauses) {
      try {
        return await send(spec, signal);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 401) throw error;
        await pause(pauseMs, signal);
      }
    }
    return send(spec, signal);
  };

  return {
    server: cluster.server,
    open,
    async request(spec) {
      const unauthorizedMs = pauses.reduce((sum, pauseMs) => sum + pauseMs, 0);
      const signal = AbortSignal.timeout(timeoutMs + unauthorizedMs);
      const response = await open(spec, AbortSignal.any([signal]));
      try {
        return await response.json();
      } catch (error) {
        throw networkError(spec.method, `${cluster.server}${spec.path}`, error);
      }
    },
    async close() {
      await pool?.destroy();
    },
  };
}

/** The library keeps one token of one file for a minute, for the whole process; it rotates. */
function freshToken(config: KubeConfig): { Authorization?: string } {
  const file = config.getCurrentUser()?.authProvider?.config?.tokenFile;
  if (typeof file !== 'string') return {};
  return { Authorization: `Bearer ${readFileSync(file, 'utf8').trim()}` };
}

function pause(pauseMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, pauseMs);
    signal.addEventListener('abort', end);
  });
}
