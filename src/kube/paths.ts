/**
 * Paths on the API server. Names come from flags and go in encoded; the check at start refuses
 * those that an encoding does not help.
 */

export function daemonSetPath(namespace: string, name: string): string {
  return `${daemonSetsPath(namespace)}/${encodeURIComponent(name)}`;
}

export function nodePath(name: string): string {
  return `/api/v1/nodes/${encodeURIComponent(name)}`;
}

export const ACCESS_REVIEWS_PATH = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** The watch of one DaemonSet from `resourceVersion` on. */
export function watchPath(
  namespace: string,
  name: string,
  resourceVersion: string,
  serverTimeoutS: number,
): string {
  const query = new URLSearchParams({
    watch: 'true',
    fieldSelector: `metadata.name=${selectorValue(name)}`,
    resourceVersion,
    allowWatchBookmarks: 'true',
    timeoutSeconds: `${serverTimeoutS}`,
  });
  return `${daemonSetsPath(namespace)}?${query}`;
}

/** One page of the pods that are bound to a node; `next` is the token of the page before. */
export function podsPath(node: string, labelSelector: string, limit: number, next: string): string {
  const query = new URLSearchParams({
    fieldSelector: `spec.nodeName=${selectorValue(node)}`,
    limit: `${limit}`,
    ...(labelSelector === '' ? {} : { labelSelector }),
    ...(next === '' ? {} : { continue: next }),
  });
  return `/api/v1/pods?${query}`;
}

export function evictionPath(namespace: string, pod: string): string {
  const [space, name] = [namespace, pod].map(encodeURIComponent);
  return `/api/v1/namespaces/${space}/pods/${name}/eviction`;
}

export function budgetsPath(namespace: string): string {
  return `/apis/policy/v1/namespaces/${encodeURIComponent(namespace)}/poddisruptionbudgets`;
}

function daemonSetsPath(namespace: string): string {
  return `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/daemonsets`;
}

/** Field selectors have a syntax of their own. */
function selectorValue(text: string): string {
  return text.replaceAll(/[\\,=]/g, (character) => `\\${character}`);
}
