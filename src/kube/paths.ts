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

function daemonSetsPath(namespace: string): string {
  return `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/daemonsets`;
}

/** Field selectors have a syntax of their own. */
function selectorValue(text: string): string {
  return text.replaceAll(/[\\,=]/g, (character) => `\\${character}`);
}
