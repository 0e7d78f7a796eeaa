import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Api, createApi, statusOf, type Timers, type Verb, verbOf } from './api.ts';
import { RehearsalError } from './errors.ts';
import type { ApiObject, Json } from './objects.ts';
import { type Route, route } from './routes.ts';
import { StatusError, type Store } from './store.ts';

/** One answered request, for counting. */
export interface LoggedRequest {
  verb: Verb;
  /** The HTTP status; a watch has the one it was opened with. */
  code: number;
  userAgent: string;
}

/** A request as a fault sees it. */
export interface FaultyRequest {
  verb: Verb;
  /** `daemonsets.apps`, `nodes`. */
  resource: string;
  userAgent: string;
}

/**
 * What may go wrong with a request. `before` runs ahead of it, `after` when it has been carried
 * out and not yet answered: throwing a StatusError answers that, ResetConnection cuts the
 * connection.
 */
export interface Faults {
  before?(request: FaultyRequest): Promise<void> | void;
  after?(request: FaultyRequest): Promise<void> | void;
}

const REAL_TIMERS: Timers = {
  setTimeout: (run, delayMs) => setTimeout(run, delayMs),
  clearTimeout: (id) => clearTimeout(id as NodeJS.Timeout),
};

/** Thrown by a fault: the connection is cut without an answer. */
export class ResetConnection extends Error {}

export interface ApiServerOptions {
  token: string;
  now?: () => Date;
  faults?: Faults;
  /** About a minute, as the real one's. */
  bookmarkMs?: number;
  timers?: Timers;
  /** One connection a request: none is idle, and so none is closed while a request sets out. */
  isClosing?: boolean;
  /** Told of each pod that an eviction has set on its way out: who runs it deletes it. */
  onEvicted?(pod: ApiObject): void;
  /** Told of each watch; the function that it returns is called ahead of each row and the end. */
  onWatch?(userAgent: string): () => void;
}

export interface ApiServer {
  url: string;
  store: Store;
  requests: LoggedRequest[];
  /** Ends all watches, as a restart does. */
  dropWatches(): void;
  /** Cuts all connections and refuses new ones, until `resume`; the objects stay. */
  pause(): Promise<void>;
  /** Listens again, on the same port. Throws RehearsalError where somebody else has taken it. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

const BOOKMARK_MS = 60_000;

/** A watch that is open. `sending` announces a row or the end. */
interface OpenWatch {
  sending(): void;
}

/** The embedded API server: the few calls that a rollout makes, over HTTP on a loopback port. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { onEvicted } = options;
  const api = createApi({
    now: options.now ?? (() => new Date()),
    timers: options.timers ?? REAL_TIMERS,
    bookmarkMs: options.bookmarkMs ?? BOOKMARK_MS,
    ...(onEvicted === undefined ? {} : { onEvicted: (pod) => onEvicted(pod) }),
  });
  const requests: LoggedRequest[] = [];
  const watches = new Set<OpenWatch>();
  const context = { options, api, requests, watches };
  const server = createServer((request, response) => {
    handle(context, request, response).catch((error: unknown) => refuse(response, error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let pauses = 0;
  return {
    url: `http://127.0.0.1:${port}`,
    store: api.store,
    requests,
    dropWatches: api.dropWatches,
    // Two who each take it away for a while: it is back when both are done.
    pause: async () => {
      pauses += 1;
      if (pauses > 1) return;
      for (const watch of watches) watch.sending();
      await close(server);
    },
    resume: async () => {
      pauses -= 1;
      if (pauses > 0) return;
      server.listen(port, '127.0.0.1');
      try {
        await once(server, 'listening');
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        throw new RehearsalError(`port ${port} was taken while the API server was away (${code})`);
      }
    },
    close: async () => {
      if (server.listening) await close(server);
    },
  };
}

interface Context {
  options: ApiServerOptions;
  api: Api;
  requests: LoggedRequest[];
  watches: Set<OpenWatch>;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

async function handle(
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { options, api, requests } = context;
  const userAgent = request.headers['user-agent'] ?? '';
  if (options.isClosing) response.setHeader('connection', 'close');
  const body = await readBody(request);
  const target = route(request.url ?? '/');
  const verb = verbOf(request.method ?? 'GET', target);
  const logged: LoggedRequest = { verb, code: 200, userAgent };
  requests.push(logged);
  try {
    if (request.headers.authorization !== `Bearer ${options.token}`) {
      throw new StatusError(401, 'Unauthorized', 'Unauthorized');
    }
    const faulty: FaultyRequest = { verb, resource: target.resource.qualified, userAgent };
    await options.faults?.before?.(faulty);
    if (verb === 'watch') {
      openWatch(context, target, response, userAgent);
      return;
    }
    const answer = api.execute(verb, target, body, request.headers['content-type']);
    logged.code = verb === 'create' ? 201 : 200;
    await options.faults?.after?.(faulty);
    send(response, logged.code, answer);
  } catch (error) {
    logged.code = error instanceof StatusError ? error.code : 0;
    throw error;
  }
}

function openWatch(
  { options, api, watches }: Context,
  target: Route,
  response: ServerResponse,
  userAgent: string,
): void {
  const sending = options.onWatch?.(userAgent) ?? (() => {});
  response.writeHead(200, { 'content-type': 'application/json' });
  // The headers go out at once: a client must not wait for the first change.
  response.flushHeaders();
  const watch = { sending };
  const forget = api.watch(target, {
    write(row) {
      sending();
      response.write(`${JSON.stringify(row)}\n`);
    },
    end() {
      sending();
      watches.delete(watch);
      response.end();
    },
  });
  if (response.writableEnded) return;
  watches.add(watch);
  response.on('close', () => {
    watches.delete(watch);
    forget();
  });
}

function refuse(response: ServerResponse, error: unknown): void {
  if (error instanceof ResetConnection) response.destroy();
  else if (error instanceof StatusError) {
    const { code, retryAfterS } = error;
    if (retryAfterS !== undefined) response.setHeader('retry-after', `${retryAfterS}`);
    send(response, code, statusOf(error));
  } else {
    const message = error instanceof Error ? error.message : String(error);
    send(response, 500, statusOf(new StatusError(500, 'InternalError', message)));
  }
}

function send(response: ServerResponse, code: number, body: Json): void {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  if (text === '') return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new StatusError(400, 'BadRequest', 'the body is not JSON');
  }
}
