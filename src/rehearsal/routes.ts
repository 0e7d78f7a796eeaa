import { type Resource, StatusError } from './store.ts';

export const DAEMON_SETS = {
  qualified: 'daemonsets.apps',
  kind: 'DaemonSet',
  apiVersion: 'apps/v1',
};
export const NODES = { qualified: 'nodes', kind: 'Node', apiVersion: 'v1' };
export const PODS = { qualified: 'pods', kind: 'Pod', apiVersion: 'v1' };
export const BUDGETS = {
  qualified: 'poddisruptionbudgets.policy',
  kind: 'PodDisruptionBudget',
  apiVersion: 'policy/v1',
};
/** Not a kind of objects that are kept: a question, answered at once. */
export const ACCESS_REVIEWS = {
  qualified: 'selfsubjectaccessreviews.authorization.k8s.io',
  kind: 'SelfSubjectAccessReview',
  apiVersion: 'authorization.k8s.io/v1',
};

export interface Route {
  resource: Resource;
  /** '' for what has no namespace. */
  namespace: string;
  /** '' for the whole collection. */
  name: string;
  /** The eviction of a pod. */
  isEviction: boolean;
  query: URLSearchParams;
}

const PATHS: [RegExp, Resource][] = [
  [
    /^\/apis\/apps\/v1\/namespaces\/(?<namespace>[^/]+)\/daemonsets(\/(?<name>[^/]+))?(\/status)?$/,
    DAEMON_SETS,
  ],
  [/^\/api\/v1\/nodes(\/(?<name>[^/]+))?(\/status)?$/, NODES],
  [/^\/api\/v1\/pods$/, PODS],
  [
    /^\/api\/v1\/namespaces\/(?<namespace>[^/]+)\/pods(\/(?<name>[^/]+))?(\/(status|(?<eviction>eviction)))?$/,
    PODS,
  ],
  [
    /^\/apis\/policy\/v1\/namespaces\/(?<namespace>[^/]+)\/poddisruptionbudgets(\/(?<name>[^/]+))?(\/status)?$/,
    BUDGETS,
  ],
  [/^\/apis\/authorization\.k8s\.io\/v1\/selfsubjectaccessreviews$/, ACCESS_REVIEWS],
];

/** What a request's URL names. Throws a 404 StatusError for anything this server does not have. */
export function route(url: string): Route {
  const { pathname, searchParams } = new URL(url, 'http://loopback');
  // As the real server: decoded before it is taken apart, so that no name holds a slash.
  const decodedPath = decoded(pathname);
  for (const [path, resource] of PATHS) {
    const match = path.exec(decodedPath);
    if (!match) continue;
    const { namespace = '', name = '', eviction } = match.groups ?? {};
    const isEviction = eviction !== undefined;
    return { resource, namespace, name, isEviction, query: searchParams };
  }
  throw new StatusError(404, 'NotFound', 'the server could not find the requested resource');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new StatusError(400, 'BadRequest', 'the path is not encoded');
  }
}
