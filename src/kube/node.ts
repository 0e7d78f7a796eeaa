import type { V1Node, V1NodeCondition } from '@kubernetes/client-node';
import { Observable } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import type { ReportInput } from '../../machines/setup.ts';
import type { KubeClient } from './client.ts';
import { upgradeConditions } from './conditions.ts';
import { garbledError } from './errors.ts';
import { nodePath } from './paths.ts';

/** This node's Node object, as far as this program is concerned with it. */
export interface NodePort {
  /** Reads the Node once, at start; throws ApiError. */
  load(): Promise<V1Node>;
  /** Writes the conditions in one request. node.reported, once, whatever came of it. */
  report(input: ReportInput): Observable<RunEvent>;
}

/** GET of the Node. Throws ApiError. */
export async function getNode(
  client: KubeClient,
  name: string,
  signal?: AbortSignal,
): Promise<V1Node> {
  return asNode(await client.request({ method: 'GET', path: nodePath(name) }, signal));
}

/** A merge patch of the Node; a resourceVersion in it is a precondition. Throws ApiError. */
export async function patchNode(
  client: KubeClient,
  name: string,
  body: unknown,
  signal: AbortSignal,
): Promise<V1Node> {
  const contentType = 'application/merge-patch+json';
  const spec = { method: 'PATCH' as const, path: nodePath(name), contentType, body };
  return asNode(await client.request(spec, signal));
}

/** Writes these conditions of the Node and no others. Throws ApiError. */
export async function writeConditions(
  client: KubeClient,
  name: string,
  conditions: V1NodeCondition[],
  signal: AbortSignal,
): Promise<V1Node> {
  const spec = {
    method: 'PATCH' as const,
    path: `${nodePath(name)}/status`,
    // Merges the list by type: other writers' conditions stay.
    contentType: 'application/strategic-merge-patch+json',
    body: { status: { conditions } },
  };
  return asNode(await client.request(spec, signal));
}

/**
 * The conditions are this program's own: what was read at start (`known`, or by `load`) and
 * answered since is what the node has, so that a report costs no read. `warn` is told of a report
 * that could not be written; the run goes on, since a condition must not keep the lock.
 */
export function createNode(
  client: KubeClient,
  name: string,
  nowMs: () => number,
  warn: (message: string) => void,
  known?: V1Node,
): NodePort {
  let conditions: V1NodeCondition[] = [];
  const keep = (node: V1Node) => {
    conditions = node.status?.conditions ?? [];
    return node;
  };
  if (known !== undefined) keep(known);
  const write = async (
    { status, error, drainError }: ReportInput,
    signal: AbortSignal,
  ): Promise<RunEvent> => {
    try {
      const wanted = upgradeConditions(status, error, conditions, nowMs(), drainError);
      keep(await writeConditions(client, name, wanted, signal));
    } catch (failure) {
      // Nobody waits for it any more.
      if (!signal.aborted) {
        warn(`Failed to update node ${name} condition: ${(failure as Error).message}`);
      }
    }
    return { type: 'node.reported' };
  };
  return {
    load: async () => keep(await getNode(client, name)),
    report: (input) =>
      new Observable((subscriber) => {
        const controller = new AbortController();
        void write(input, controller.signal).then((event) => {
          subscriber.next(event);
          subscriber.complete();
        });
        return () => controller.abort();
      }),
  };
}

function asNode(answer: unknown): V1Node {
  const node = (answer ?? {}) as { kind?: unknown; status?: { conditions?: unknown } | null };
  const conditions = node.status?.conditions ?? [];
  if (node.kind === 'Node' && Array.isArray(conditions)) return answer as V1Node;
  throw garbledError('a Node', JSON.stringify(answer) ?? '');
}
