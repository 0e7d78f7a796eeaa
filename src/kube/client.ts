import { type Dispatcher, fetch, type Response } from 'undici';
import { childController } from './abort.ts';
import { ANSWER_MAX_BYTES, readText } from './body.ts';
import { createConnections, PING_MS } from './connection.ts';
import { authorityName, authorize, credentialsName, type SourcedConfig } from './credentials.ts';
import { ApiError, failureOf, garbledError, networkError, statusError } from './errors.ts';
import { persistently } from './retry.ts';

export interface RequestSpec {
  method: 'GET' | 'PATCH' | 'POST';
  /** Path and query, from the server's root on. */
  path: string;
  /** Sent as JSON with `contentType`, application/json where none is given. */
  body?: unknown;
  contentType?: string;
  /** Instead of the client's own, for `request`. */
  timeoutMs?: number;
  /** A 429 is an answer to whoever asks, and not sent again: it need not be of flow control. */
  is429Final?: boolean;
}

export interface KubeClient {
  server: string;
  /** What it authenticates with and what it verifies the server with, as a person finds them. */
  credentials: string;
  authority: string;
  /**
   * The answer's JSON body, within the timeout; `signal` gives it up sooner. Throws ApiError:
   * refused, timed out, not 2xx, or not JSON.
   */
  request(spec: RequestSpec, signal?: AbortSignal): Promise<unknown>;
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
  pingMs?: number;
}

const REQUEST_TIMEOUT_MS = 30_000;
export const UNAUTHORIZED_PAUSES_MS = [500, 2_000, 5_000];

/**
 * Requests with the kubeconfig's server, TLS and credentials over one connection pool. The typed
 * client of the library is not used: it makes a new pool for each request, sets no timeout, and
 * drops the fields it does not know.
 */
export function createClient(config: SourcedConfig, options: ClientOptions): KubeClient {
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new Error('the kubeconfig has no current cluster');
  const { server } = cluster;
  const pauses = options.unauthorizedPausesMs ?? UNAUTHORIZED_PAUSES_MS;
  const connections = createConnections(config, options.pingMs ?? PING_MS);

  const send = async <T>(
    spec: RequestSpec,
    signal: AbortSignal,
    take: (response: Response) => Promise<T>,
  ): Promise<T> => {
    const url = `${server}${spec.path}`;
    let used: Dispatcher | null = null;
    try {
      const credentials = await authorize(config);
      used = await connections.current();
      const { body, contentType = 'application/json' } = spec;
      const response = await fetch(url, {
        method: spec.method,
        headers: {
          ...credentials,
          'user-agent': options.userAgent,
          ...(body === undefined ? {} : { 'content-type': contentType }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal,
        // A redirect is a proxy's login page, and no place for the credentials.
        redirect: 'manual',
        dispatcher: used,
      });
      if (!response.ok) throw await refusal(response);
      return await take(response);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      const failure = networkError(spec.method, url, error);
      if (used !== null && isTimeout(signal)) await connections.abandon(used);
      else if (used !== null && failureOf(failure) === 'tls') connections.retire(used);
      throw failure;
    }
  };

  return {
    server,
    credentials: credentialsName(config),
    authority: authorityName(config),
    open: (spec, signal) =>
      persistently(() => send(spec, signal, async (response) => response), {
        unauthorizedPausesMs: pauses,
        signal,
      }),
    request: (spec, given) => {
      const timeoutMs = spec.timeoutMs ?? options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
      return within(timeoutMs, given, (signal) =>
        persistently(() => send(spec, signal, readJson), {
          unauthorizedPausesMs: pauses,
          signal,
          ...(spec.is429Final ? { throttledMaxTimes: 0 } : {}),
        }),
      );
    },
    close: () => connections.close(),
  };
}

async function readJson(response: Response): Promise<unknown> {
  const { text, isCut } = await readText(response, ANSWER_MAX_BYTES);
  if (isCut) throw garbledError(`shorter than ${ANSWER_MAX_BYTES} bytes`, text);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw garbledError('JSON', text);
  }
}

async function refusal(response: Response): Promise<ApiError> {
  const { text } = await readText(response, ANSWER_MAX_BYTES);
  return statusError(response.status, text, response.headers.get('retry-after'));
}

/** Ended by a limit, not by a caller who no longer wants the answer. */
function isTimeout({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof Error && reason.name === 'AbortError');
}

async function within<T>(
  timeoutMs: number,
  given: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { controller, release } = childController(given);
  const timer = setTimeout(() => {
    controller.abort(new DOMException(`no answer within ${timeoutMs / 1_000} s`, 'TimeoutError'));
  }, timeoutMs);
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    release();
  }
}
