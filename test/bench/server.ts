import type { Cluster } from '../cluster/cluster.ts';

/** What the API server has counted since its start. */
export interface Counts {
  /** Of DaemonSets and Nodes, by verb and code: `GET 200`, `WATCH 200`, `PATCH 409`. */
  requests: Record<string, number>;
  /** Changes of DaemonSets sent to watches, each to each. */
  changes: number;
}

const OPEN = /^apiserver_longrunning_requests\{.*resource="daemonsets".*verb="WATCH".*\} (\S+)$/;
const REQUEST = /^apiserver_request_total\{(.*)\} (\S+)$/;
const CHANGE = /^apiserver_watch_events_total\{.*resource="daemonsets".*\} (\S+)$/;

/** Throws where it does not answer. */
export async function countsOf(cluster: Cluster): Promise<Counts & { openWatches: number }> {
  const { status, body } = await cluster.request('/metrics');
  if (status !== 200) throw new Error(`GET /metrics: ${status}`);
  return parseCounts(String(body));
}

/** The text form of Prometheus. */
export function parseCounts(text: string): Counts & { openWatches: number } {
  const counts = { requests: {} as Record<string, number>, changes: 0, openWatches: 0 };
  for (const line of text.split('\n')) {
    const [, labels = '', requests] = REQUEST.exec(line) ?? [];
    const key = keyOf(labels);
    if (key) counts.requests[key] = (counts.requests[key] ?? 0) + Number(requests);
    counts.changes += Number(CHANGE.exec(line)?.[1] ?? 0);
    counts.openWatches += Number(OPEN.exec(line)?.[1] ?? 0);
  }
  return counts;
}

/** What came between two counts. */
export function since(before: Counts, after: Counts): Counts {
  const rows = Object.entries(after.requests)
    .map(([key, count]) => [key, count - (before.requests[key] ?? 0)] as const)
    .filter(([, count]) => count > 0)
    .sort();
  return { requests: Object.fromEntries(rows), changes: after.changes - before.changes };
}

/** The verb and code of a request that an agent may have sent, or ''. */
function keyOf(labels: string): string {
  const { resource, verb, code } = Object.fromEntries(
    [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  const isAgents =
    resource === 'daemonsets' || (resource === 'nodes' && (verb === 'GET' || verb === 'PATCH'));
  return isAgents && verb !== 'LIST' ? `${verb} ${code}` : '';
}
