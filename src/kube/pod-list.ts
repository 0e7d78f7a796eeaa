import type { KubeClient } from './client.ts';
import { garbledError } from './errors.ts';
import { podsPath } from './paths.ts';
import type { Pod } from './pods.ts';

/** Pods in one answer: with everything that is written on them, each may have 100 KB. */
const PAGE_PODS = 50;
/** No node has as many pods; a server that gives the same token again and again would go on. */
const MAX_PAGES = 200;

/**
 * The pods that are bound to the node, of all namespaces; `podSelector` is a label selector, '' for
 * all. Throws ApiError: also 410 where the list changed too much while its pages were read.
 */
export async function listPods(
  client: KubeClient,
  node: string,
  podSelector: string,
  signal: AbortSignal,
): Promise<Pod[]> {
  const pods: Pod[] = [];
  let next = '';
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const path = podsPath(node, podSelector, PAGE_PODS, next);
    const answer = await client.request({ method: 'GET', path }, signal);
    const { items, token } = asPage(answer);
    pods.push(...items);
    if (token === '') return pods;
    next = token;
  }
  throw garbledError(`a list of less than ${MAX_PAGES} pages`, `continue=${next}`);
}

function asPage(answer: unknown): { items: Pod[]; token: string } {
  const list = (answer ?? {}) as { kind?: unknown; items?: unknown; metadata?: unknown };
  const { continue: token = '' } = (list.metadata ?? {}) as { continue?: unknown };
  const items = list.items ?? [];
  const isPage =
    list.kind === 'PodList' &&
    Array.isArray(items) &&
    items.every(isPod) &&
    typeof token === 'string';
  if (!isPage) throw garbledError('a PodList', JSON.stringify(answer) ?? '');
  return { items, token };
}

function isPod(item: Partial<Pod> | null): item is Pod {
  const { name, namespace, uid } = item?.metadata ?? {};
  return [name, namespace, uid].every((text) => typeof text === 'string' && text !== '');
}
