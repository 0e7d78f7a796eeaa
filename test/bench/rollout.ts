import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { credentialsOf, SERVICE_ACCOUNT } from '../chaos/credentials.ts';
import { sampleOf } from '../chaos/sample.ts';
import { type Cluster, poll } from '../cluster/cluster.ts';
import { install } from '../e2e/objects.ts';
import { annotate, createNode, daemonSetPath, MERGE_PATCH } from '../kube/objects.ts';
import type { Share } from './agents.ts';
import { countsOf, since } from './server.ts';
import { judgeTurns, nowMs, type Turn, type Turns } from './turns.ts';
import { type Cost, startWorkers } from './workers.ts';

export interface Rollout extends Turns {
  nodes: number;
  /** From the tick on, as the API server counts them: `GET 200`, `WATCH 200`, `PATCH 409`. */
  requests: Record<string, number>;
  requestsANode: number;
  conflicts: number;
  /** Changes of the DaemonSet that the API server has sent to watches. */
  changes: number;
  /** From the tick to the last release. */
  seconds: number;
  /** CPU time of the API server in that time. */
  serverCpuS: number;
  /** The processes with the agents. */
  workers: Cost[];
}

export interface RolloutOptions {
  nodes: number;
  /** Names of Nodes begin with it; another one for each rollout of a cluster. */
  prefix: string;
  /** Another holder keeps the lock until every node waits for it. */
  isHeld: boolean;
  /** So many have had their turn. */
  progress?(turns: number): void;
}

/** As many as one process can serve without being what the hand-off waits for. */
export const AGENTS_A_PROCESS = 250;
/** The whole of it, in which case it fails. */
const limitMs = (nodes: number) => 120_000 + nodes * 1_000;
const TOKEN_VALID_S = 3_600;

/** Gives a cluster what agents need: the manifests, with the roles of the DaemonSet's account. */
export async function prepare(cluster: Cluster): Promise<void> {
  await install(cluster);
}

/**
 * A whole rollout of machines, each with a client and a connection of its own, on a cluster that
 * is prepared: all tick at once, upgrades take no time.
 */
export async function rollout(cluster: Cluster, options: RolloutOptions): Promise<Rollout> {
  const { nodes, prefix, isHeld, progress } = options;
  const names = Array.from({ length: nodes }, (_, index) => `${prefix}-${index + 1}`);
  await setSize(cluster, nodes);
  for (const name of names) await createNode(cluster, name);
  const folder = join(cluster.files.folder, prefix);
  const makeCredentials = await credentialsOf(cluster);
  makeCredentials(folder).renewToken(TOKEN_VALID_S);

  const workers = await startWorkers(sharesOf(cluster, folder, names), limitMs(nodes));
  try {
    if (isHeld) await annotate(cluster, SERVICE_ACCOUNT.name, 'another-holder');
    const before = await countsOf(cluster);
    const cpuBeforeS = sampleOf(cluster.apiServerPid(), 0).cpuS;
    const turns: Turn[] = [];
    const startedAtMs = nowMs();
    const costs = await workers.tick({
      waiting(agents) {
        if (isHeld && agents === nodes) void annotate(cluster, SERVICE_ACCOUNT.name, null);
      },
      turn(turn) {
        turns.push(turn);
        progress?.(turns.length);
      },
    });
    const seconds = (Math.max(...turns.map(({ doneAtMs }) => doneAtMs)) - startedAtMs) / 1_000;
    const serverCpuS = sampleOf(cluster.apiServerPid(), 0).cpuS - cpuBeforeS;
    await workers.stop();
    // A watch is counted when it ends.
    await poll(async () => (await countsOf(cluster)).openWatches <= before.openWatches, 30_000);
    const { requests, changes } = since(before, await countsOf(cluster));
    // The other holder's release is no agent's.
    if (isHeld) requests['PATCH 200'] = (requests['PATCH 200'] ?? 0) - 1;
    const total = Object.values(requests).reduce((sum, count) => sum + count, 0);
    return {
      ...judgeTurns(turns),
      nodes,
      requests,
      requestsANode: total / nodes,
      conflicts: requests['PATCH 409'] ?? 0,
      changes,
      seconds,
      serverCpuS,
      workers: costs,
    };
  } finally {
    await workers.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Shares of equal size, in as few processes as can serve them. */
function sharesOf(cluster: Cluster, folder: string, names: readonly string[]): Share[] {
  const { hostname: host, port } = new URL(cluster.url);
  const count = Math.ceil(names.length / AGENTS_A_PROCESS);
  const size = Math.ceil(names.length / count);
  return Array.from({ length: count }, (_, index) => ({
    server: { host, port, folder },
    namespace: SERVICE_ACCOUNT.namespace,
    daemonSet: SERVICE_ACCOUNT.name,
    nodes: names.length,
    names: names.slice(index * size, (index + 1) * size),
    before: index * size,
    limitMs: limitMs(names.length),
  }));
}

/** What the controller of DaemonSets would say. */
async function setSize(cluster: Cluster, nodes: number): Promise<void> {
  const { status } = await cluster.request(`${daemonSetPath(SERVICE_ACCOUNT.name)}/status`, {
    method: 'PATCH',
    type: MERGE_PATCH,
    body: { status: { desiredNumberScheduled: nodes } },
  });
  if (status !== 200) throw new Error(`PATCH the status of the DaemonSet: ${status}`);
}
