import { evict } from './evictions.ts';
import type { ApiObject, Json, JsonObject } from './objects.ts';
import { page } from './page.ts';
import { deletePod } from './pods.ts';
import { ACCESS_REVIEWS, PODS, type Route } from './routes.ts';
import { isAsked } from './select.ts';
import { type PatchKind, StatusError, Store, type StoreEvent } from './store.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** What rules the bookmarks and the time limit of watches. */
export interface Timers {
  setTimeout(run: () => void, delayMs: number): unknown;
  clearTimeout(id: unknown): void;
}

export interface ApiOptions {
  now(): Date;
  timers: Timers;
  /** About a minute, as the real one's. */
  bookmarkMs: number;
  /** Told of each pod that an eviction has set on its way out: who runs it deletes it. */
  onEvicted?(pod: ApiObject): void;
}

/** Where the rows of a watch go. */
export interface WatchSink {
  write(row: { type: string; object: Json }): void;
  end(): void;
}

/** An API server's calls and watches, without the way to it. */
export interface Api {
  store: Store;
  /** Throws StatusError. */
  execute(verb: Verb, target: Route, body: Json, contentType: string | undefined): Json;
  /** The function that it returns ends the watch without a word. */
  watch(target: Route, sink: WatchSink): () => void;
  /** Ends all watches, as a restart does. */
  dropWatches(): void;
}

export function createApi(options: ApiOptions): Api {
  const store = new Store(() => `${options.now().toISOString().slice(0, 19)}Z`);
  const watches = new Set<() => void>();
  const context = { options, store, watches };
  return {
    store,
    execute: (verb, target, body, contentType) => execute(context, verb, target, body, contentType),
    watch: (target, sink) => openWatch(context, target, sink),
    dropWatches() {
      for (const end of watches) end();
    },
  };
}

interface Context {
  options: ApiOptions;
  store: Store;
  /** The ends of the watches that are open. */
  watches: Set<() => void>;
}

/** Throws a 405 StatusError. */
export function verbOf(method: string, { name, query, isEviction }: Route): Verb {
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
  verb: Verb,
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
  return options.now().getTime();
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

/** The real server draws between half an hour and an hour where none is asked for. */
const WATCH_TIMEOUT_S = 1_800;

/** An empty object goes through the server's conversion, which leaves this trace on a DaemonSet. */
function bookmarkMetadata(kind: string): JsonObject {
  if (kind !== 'DaemonSet') return {};
  return { annotations: { 'deprecated.daemonset.template.generation': '0' } };
}

function openWatch(context: Context, target: Route, sink: WatchSink): () => void {
  const { store, options, watches } = context;
  const { resource, namespace, query } = target;
  const { timers, bookmarkMs } = options;
  const version = Number(query.get('resourceVersion') ?? store.version);
  let unwatch = () => {};
  try {
    unwatch = store.watch(resource, namespace, version, ({ type, object }: StoreEvent) => {
      if (isAsked(object, query)) sink.write({ type, object });
    });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    sink.write({ type: 'ERROR', object: statusOf(error) });
    sink.end();
    return () => {};
  }
  const { kind, apiVersion } = resource;
  let bookmarks: unknown;
  const bookmark = () => {
    const metadata = { resourceVersion: `${store.version}`, ...bookmarkMetadata(kind) };
    if (query.get('allowWatchBookmarks') === 'true') {
      sink.write({ type: 'BOOKMARK', object: { kind, apiVersion, metadata } });
    }
    bookmarks = timers.setTimeout(bookmark, bookmarkMs);
  };
  bookmarks = timers.setTimeout(bookmark, bookmarkMs);
  const forget = () => {
    timers.clearTimeout(bookmarks);
    timers.clearTimeout(timeout);
    watches.delete(end);
    unwatch();
  };
  const end = () => {
    forget();
    sink.end();
  };
  const timeoutS = Number(query.get('timeoutSeconds') ?? WATCH_TIMEOUT_S);
  const timeout = timers.setTimeout(end, timeoutS * 1_000);
  watches.add(end);
  return forget;
}

/** A refusal as the API server writes it. */
export function statusOf({ code, reason, message, causes, retryAfterS }: StatusError): JsonObject {
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
