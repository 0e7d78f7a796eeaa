import {
  type ApiObject,
  type Json,
  type JsonObject,
  mergePatch,
  strategicPatch,
} from './objects.ts';

/** A refusal, as the API server's Status object. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly causes: { reason: string; message: string }[];
  /** When to come again, where the server says so. */
  readonly retryAfterS: number | undefined;
  constructor(
    code: number,
    reason: string,
    message: string,
    causes: StatusError['causes'] = [],
    retryAfterS?: number,
  ) {
    super(message);
    this.retryAfterS = retryAfterS;
    this.code = code;
    this.reason = reason;
    this.causes = causes;
  }
}

/** A kind of objects: how the paths and the messages name it. */
export interface Resource {
  /** `daemonsets.apps`, `nodes`. */
  qualified: string;
  kind: string;
  apiVersion: string;
}

export interface StoreEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  resource: string;
  namespace: string;
  version: number;
  object: ApiObject;
}

export type PatchKind = 'merge' | 'strategic';

/** How many changes a watch can catch up on; older versions are gone. */
export const HISTORY_LENGTH = 1_000;

/**
 * An in-memory object store with the API server's versions, conflicts and history. Pure data: the
 * time and the uids are given.
 */
export class Store {
  #version = 100;
  #oldest = 100;
  readonly #objects = new Map<string, ApiObject>();
  readonly #history: StoreEvent[] = [];
  readonly #listeners = new Set<(event: StoreEvent) => void>();
  readonly #now: () => string;

  constructor(now: () => string) {
    this.#now = now;
  }

  get version(): number {
    return this.#version;
  }

  get(resource: Resource, namespace: string, name: string): ApiObject {
    const object = this.#objects.get(keyOf(resource, namespace, name));
    if (!object) {
      throw new StatusError(404, 'NotFound', `${resource.qualified} "${name}" not found`);
    }
    return object;
  }

  /** Of all namespaces for ''; by namespace and name, as etcd keeps them. */
  list(resource: Resource, namespace: string): ApiObject[] {
    const prefix = namespace === '' ? `${resource.qualified}/` : keyOf(resource, namespace, '');
    return [...this.#objects.keys()]
      .filter((key) => key.startsWith(prefix))
      .sort()
      .map((key) => this.#objects.get(key) as ApiObject);
  }

  create(resource: Resource, namespace: string, body: JsonObject): ApiObject {
    const metadata = body.metadata as JsonObject;
    const name = String(metadata.name);
    if (this.#objects.has(keyOf(resource, namespace, name))) {
      throw new StatusError(409, 'AlreadyExists', `${resource.qualified} "${name}" already exists`);
    }
    const uid = crypto.randomUUID();
    const object = {
      apiVersion: resource.apiVersion,
      kind: resource.kind,
      ...body,
      metadata: { ...metadata, name, uid, creationTimestamp: this.#now(), resourceVersion: '' },
    };
    return this.#write('ADDED', resource, namespace, object);
  }

  /** A full update; a resourceVersion in it is a precondition. */
  replace(resource: Resource, namespace: string, name: string, body: JsonObject): ApiObject {
    const old = this.get(resource, namespace, name);
    return this.#update(resource, namespace, old, body);
  }

  patch(
    resource: Resource,
    namespace: string,
    name: string,
    kind: PatchKind,
    patch: Json,
  ): ApiObject {
    const old = this.get(resource, namespace, name);
    const apply = kind === 'merge' ? mergePatch : strategicPatch;
    return this.#update(resource, namespace, old, apply(old, patch) as JsonObject);
  }

  delete(resource: Resource, namespace: string, name: string): ApiObject {
    const object = this.get(resource, namespace, name);
    return this.#write('DELETED', resource, namespace, object);
  }

  /** The changes after `version`, then new ones. Throws 410 when they are no longer known. */
  watch(
    resource: Resource,
    namespace: string,
    version: number,
    listener: (event: StoreEvent) => void,
  ): () => void {
    if (version !== 0 && version < this.#oldest) {
      const message = `too old resource version: ${version} (${this.#oldest})`;
      throw new StatusError(410, 'Expired', message);
    }
    const isOurs = (event: StoreEvent) =>
      event.resource === resource.qualified && event.namespace === namespace;
    // "0" is any version: the server shows what there is, then goes on from there.
    if (version === 0) {
      for (const object of this.list(resource, namespace)) {
        listener({ type: 'ADDED', resource: resource.qualified, namespace, version: 0, object });
      }
    } else
      for (const event of this.#history) {
        if (event.version > version && isOurs(event)) listener(event);
      }
    const filtered = (event: StoreEvent) => {
      if (isOurs(event)) listener(event);
    };
    this.#listeners.add(filtered);
    return () => this.#listeners.delete(filtered);
  }

  /** Forgets the history, as etcd's compaction does. */
  compact(): void {
    this.#history.length = 0;
    this.#oldest = this.#version;
  }

  #update(resource: Resource, namespace: string, old: ApiObject, next: JsonObject): ApiObject {
    const metadata = next.metadata as JsonObject;
    const precondition = metadata.resourceVersion;
    if (precondition !== undefined && precondition !== old.metadata.resourceVersion) {
      const message = `Operation cannot be fulfilled on ${resource.qualified} "${old.metadata.name}": the object has been modified; please apply your changes to the latest version and try again`;
      throw new StatusError(409, 'Conflict', message);
    }
    const { uid, creationTimestamp } = old.metadata;
    const kept = { uid: uid ?? '', creationTimestamp: creationTimestamp ?? '' };
    const version = { name: old.metadata.name, resourceVersion: old.metadata.resourceVersion };
    const object: ApiObject = {
      ...next,
      metadata: { ...metadata, ...kept, ...version },
    };
    if (isEmpty(object.metadata.annotations)) delete object.metadata.annotations;
    // A write that changes nothing is no write: version and watchers stay as they are.
    if (JSON.stringify(object) === JSON.stringify(old)) return old;
    return this.#write('MODIFIED', resource, namespace, object);
  }

  #write(
    type: StoreEvent['type'],
    resource: Resource,
    namespace: string,
    written: ApiObject,
  ): ApiObject {
    this.#version += 1;
    const metadata: ApiObject['metadata'] = {
      ...written.metadata,
      resourceVersion: `${this.#version}`,
    };
    if (isEmpty(metadata.annotations)) delete metadata.annotations;
    const object = { ...written, metadata } as ApiObject;
    const key = keyOf(resource, namespace, object.metadata.name);
    if (type === 'DELETED') this.#objects.delete(key);
    else this.#objects.set(key, object);
    const event = { type, resource: resource.qualified, namespace, version: this.#version, object };
    this.#history.push(event);
    const dropped = this.#history.length > HISTORY_LENGTH ? this.#history.shift() : undefined;
    if (dropped) this.#oldest = dropped.version;
    for (const listener of [...this.#listeners]) listener(event);
    return object;
  }
}

function isEmpty(value: Json | undefined): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function keyOf(resource: Resource, namespace: string, name: string): string {
  return `${resource.qualified}/${namespace}/${name}`;
}
