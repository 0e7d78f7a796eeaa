import type { V1Node, V1NodeCondition } from '@kubernetes/client-node';
import { from, type Observable } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import type { ReportInput } from '../../machines/run.ts';
import type { KubeClient } from './client.ts';
import { upgradeConditions } from './conditions.ts';
import { nodePath } from './paths.ts';

/** This node's Node object, as far as this program is concerned with it. */
export interface NodePort {
  /** Reads the Node once, at start; throws ApiError. */
  load(): Promise<V1Node>;
  /** Writes the conditions in one request. node.reported, once, whatever came of it. */
  report(input: ReportInput): Observable<RunEvent>;
}

/**
 * The conditions are this program's own: what was read at start and answered since is what the
 * node has, so that a report costs no read. `warn` is told of a report that could not be written;
 * the run goes on, since a condition must not keep the lock.
 */
export function createNode(
  client: KubeClient,
  name: string,
  nowMs: () => number,
  warn: (message: string) => void,
  known?: V1Node,
): NodePort {
  const path = nodePath(name);
  let conditions: V1NodeCondition[] = [];
  const keep = (node: unknown) => {
    conditions = (node as V1Node).status?.conditions ?? [];
    return node as V1Node;
  };
  if (known !== undefined) keep(known);
  const write = async ({ status, error }: ReportInput): Promise<RunEvent> => {
    try {
      const wanted = upgradeConditions(status, error, conditions, nowMs());
      keep(
        await client.request({
          method: 'PATCH',
          path: `${path}/status`,
          // Merges the list by type: other writers' conditions stay.
          contentType: 'application/strategic-merge-patch+json',
          body: { status: { conditions: wanted } },
        }),
      );
    } catch (failure) {
      warn(`Failed to update node ${name} condition: ${(failure as Error).message}`);
    }
    return { type: 'node.reported' };
  };
  return {
    load: async () => keep(await client.request({ method: 'GET', path })),
    report: (input) => from(write(input)),
  };
}
