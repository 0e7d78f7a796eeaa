import type { ApiObject, Json } from './objects.ts';
import type { Route } from './routes.ts';
import { isAsked } from './select.ts';
import type { Store } from './store.ts';

/** A list, or the part of it that `limit` and `continue` ask for: what comes after a name. */
export function page(store: Store, { resource, namespace, query }: Route): Json {
  const after = atob(query.get('continue') ?? '');
  const asked = store
    .list(resource, namespace)
    .filter((object) => isAsked(object, query) && placeOf(object) > after);
  const limit = Number(query.get('limit') ?? 0);
  const items = limit === 0 ? asked : asked.slice(0, limit);
  const last = items.at(-1);
  const hasMore = last !== undefined && items.length < asked.length;
  return {
    kind: `${resource.kind}List`,
    apiVersion: resource.apiVersion,
    metadata: {
      resourceVersion: `${store.version}`,
      ...(hasMore ? { continue: btoa(placeOf(last)) } : {}),
    },
    items,
  };
}

function placeOf({ metadata }: ApiObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
