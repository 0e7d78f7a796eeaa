import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RehearsalError } from './errors.ts';
import { evict } from './evictions.ts';
import type { ApiObject, Json, JsonObject } from './objects.ts';
import { page } from './page.ts';
import { deletePod } from './pods.ts';
import { ACCESS_REVIEWS, PODS, type Route, route } from './routes.ts';
import { isAsked } from './select.ts';
import { type PatchKind, StatusError, Store, type StoreEvent } from './store.ts';

/** One answered request, for counting. */
export interface LoggedRequest {
  verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
  /** The HTTP status; a watch has the one it was opened with. */
  code: number;
  userAgent: string;
}

/** A request as a fault sees it. */
export interface FaultyRequest {
  verb: LoggedRequest['verb'];
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

/** What rules the server's bookmarks and the time limit of its watches. */
export interface Timers {
  setTimeout(run: () => void, delayMs: number): unknown;
  clearTimeout(id: unknown): void;
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

/** A watch that is open. `sending` announces a row or the end. */
interface OpenWatch {
  sending(): void;
  end(): void;
}

/** The embedded API server: the few calls that a rollout makes, over HTTP on a loopback port. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const now = options.now ?? (() => new Date());
  const store = new Store(() => `${now().toISOString().slice(0, 19)}Z`);
  const requests: LoggedRequest[] = [];
  const watches = new Set<OpenWatch>();
  const context = { options, store, requests, watches };
  const server = createServer((request, response) => {
    handle(context, request, response).catch((error: unknown) => refuse(response, error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let pauses = 0;
  return {
    url: `http://127.0.0.1:${port}`,
    store,
    requests,
    dropWatches: () => {
      for (const watch of watches) watch.end();
    },
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
  store: Store;
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
  const { options, requests } = context;
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
    const answer = execute(context, verb, target, body, request.headers['content-type']);
    logged.code = verb === 'create' ? 201 : 200;
    await options.faults?.after?.(faulty);
    send(response, logged.code, answer);
  } catch (error) {
    logged.code = error instanceof StatusError ? error.code : 0;
    throw error;
  }
}

function verbOf(method: string, { name, query, isEviction }: Route): LoggedRequest['verb'] {
  if (method === 'GET' && query.get('watch') === 'true') return 'watch';
  if (method === 'GET') return name === '' ? 'list' : 'get';
  if (method === 'POST' && (name === '' || isEviction)) return 'create';
  if (method === 'PUT' && name !== '') return 'update';
  if (method === 'PATCH' && name !== '') return 'patch';
  if (method === 'DELETE' && name !== '') return 'delete';
  throw new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method');
}

function execute(
  context: Context,
  verb: LoggedRequest['verb'],
  target: Route,
  body: Json,
  contentType: string | undefined,
): Json {
  const { store } = context;
  const { resource, namespace, name, isEviction } = target;
  switch (verb) {
    case 'get':
      return store.get(resource, namespace, name);
    case 'create':
      if (resource === ACCESS_REVIEWS) return allowed(asObject(body));
      if (isEviction) return evicted(context, target, asObject(body));
      return store.create(resource, namespace, asObject(body));
    case 'update':
      return store.replace(resource, namespace, name, asObject(body));
    case 'patch':
      return store.patch(resource, namespace, name, patchKind(contentType), body);
    case 'delete':
      if (resource === PODS) deletePod(store, namespace, name, graceOf(target), nowMs(context));
      else store.delete(resource, namespace, name);
      return SUCCESS;
    default:
      return page(store, target);
  }
}

const SUCCESS: JsonObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };

function evicted(context: Context, { namespace, name }: Route, eviction: JsonObject): Json {
  const { store, options } = context;
  const isLeaving = evict(store, namespace, name, eviction, nowMs(context));
  if (isLeaving) options.onEvicted?.(store.get(PODS, namespace, name));
  return SUCCESS;
}

function graceOf({ query }: Route): number | undefined {
  const graceS = query.get('gracePeriodSeconds');
  return graceS === null ? undefined : Number(graceS);
}

function nowMs({ options }: Context): number {
  return (options.now?.() ?? new Date()).getTime();
}

/** Who has the token may do everything here. */
function allowed(review: JsonObject): JsonObject {
  return { ...review, metadata: {}, status: { allowed: true } };
}

function patchKind(contentType = ''): PatchKind {
  if (contentType === 'application/merge-patch+json') return 'merge';
  if (contentType === 'application/strategic-merge-patch+json') return 'strategic';
  const message = `the body of the request was in an unknown format: ${contentType}`;
  throw new StatusError(415, 'UnsupportedMediaType', message);
}

function asObject(body: Json): JsonObject {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw new StatusError(400, 'BadRequest', 'the body is not an object');
}

const BOOKMARK_MS = 60_000;
/** The real server draws between half an hour and an hour where none is asked for. */
const WATCH_TIMEOUT_S = 1_800;

/** An empty object goes through the server's conversion, which leaves this trace on a DaemonSet. */
function bookmarkMetadata(kind: string): JsonObject {
  if (kind !== 'DaemonSet') return {};
  return { annotations: { 'deprecated.daemonset.template.generation': '0' } };
}

function openWatch(
  context: Context,
  target: Route,
  response: ServerResponse,
  userAgent: string,
): void {
  const { store, options, watches } = context;
  const { resource, namespace, query } = target;
  const timers = options.timers ?? REAL_TIMERS;
  const sending = options.onWatch?.(userAgent) ?? (() => {});
  const version = Number(query.get('resourceVersion') ?? store.version);
  response.writeHead(200, { 'content-type': 'application/json' });
  // The headers go out at once: a client must not wait for the first change.
  response.flushHeaders();
  const write = (type: string, object: Json) => {
    sending();
    response.write(`${JSON.stringify({ type, object })}\n`);
  };
  let forget = () => {};
  const end = () => {
    sending();
    forget();
    response.end();
  };
  let unwatch = () => {};
  try {
    unwatch = store.watch(resource, namespace, version, ({ type, object }: StoreEvent) => {
      if (isAsked(object, query)) write(type, object);
    });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    write('ERROR', statusOf(error));
    end();
    return;
  }
  const { kind, apiVersion } = resource;
  let bookmarks: unknown;
  const bookmark = () => {
    const metadata = { resourceVersion: `${store.version}`, ...bookmarkMetadata(kind) };
    if (query.get('allowWatchBookmarks') === 'true') {
      write('BOOKMARK', { kind, apiVersion, metadata });
    }
    bookmarks = timers.setTimeout(bookmark, options.bookmarkMs ?? BOOKMARK_MS);
  };
  bookmarks = timers.setTimeout(bookmark, options.bookmarkMs ?? BOOKMARK_MS);
  const timeoutS = Number(query.get('timeoutSeconds') ?? WATCH_TIMEOUT_S);
  const timeout = timers.setTimeout(end, timeoutS * 1_000);
  const watch: OpenWatch = { sending, end };
  watches.add(watch);
  forget = () => {
    timers.clearTimeout(bookmarks);
    timers.clearTimeout(timeout);
    watches.delete(watch);
    unwatch();
  };
  response.on('close', forget);
}

function statusOf({ code, reason, message, causes, retryAfterS }: StatusError): JsonObject {
  const details = {
    ...(causes.length === 0 ? {} : { causes }),
    ...(retryAfterS === undefined ? {} : { retryAfterSeconds: retryAfterS }),
  };
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === '' ? {} : { reason }),
    ...(Object.keys(details).length === 0 ? {} : { details }),
    code,
  };
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
