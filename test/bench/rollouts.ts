import { cpus } from 'node:os';
import type { Cluster } from '../cluster/cluster.ts';
import { GO_ROLLOUT } from './peers.ts';
import { percentile, type Rollout, rollout } from './rollout.ts';
import { table } from './table.ts';

const SIZES = [10, 30, 60, 100];
const TIMES = 3;

/** Rollouts of several fleet sizes, side by side with the figures of the Go program. */
export async function benchRollouts(cluster: Cluster, write: (text: string) => void) {
  write(
    `\nWhole rollouts on a real kube-apiserver and etcd on loopback, all machines in this process, upgrades of zero length, all nodes ticking at once; ${TIMES} runs each; ${cpus().length} cores, Node ${process.version}\n\n`,
  );
  const all = new Map<number, Rollout[]>();
  for (const nodes of SIZES) {
    const runs: Rollout[] = [];
    for (let time = 1; time <= TIMES; time += 1) {
      runs.push(await rollout(cluster, nodes, `bench-${nodes}-${time}`, false));
    }
    all.set(nodes, runs);
  }
  const row = (name: string, of: (run: Rollout) => number, digits: number) => [
    [name, ...SIZES.map((nodes) => range(all.get(nodes) ?? [], of, digits))],
    ['  Go program', ...SIZES.map((nodes) => GO_ROLLOUT[name]?.[nodes] ?? '')],
  ];
  write(
    table([
      ['', ...SIZES.map((nodes) => `N = ${nodes}`)],
      ...row('requests a node', (run) => run.requestsANode, 1),
      ...row('conflicts (409), in all', (run) => run.conflicts, 0),
      ...row('hand-off p50, ms', (run) => percentile(run.handOffsMs, 0.5), 0),
      ...row('hand-off p95, ms', (run) => percentile(run.handOffsMs, 0.95), 0),
      ...row('whole rollout, s', (run) => run.seconds, 1),
    ]),
  );
  write('\nRequests by verb and code, all runs:\n');
  for (const [nodes, runs] of all) write(`  N = ${nodes}: ${byVerb(runs)}\n`);
}

function range(runs: Rollout[], of: (run: Rollout) => number, digits: number): string {
  const values = runs.map((run) => of(run).toFixed(digits)).sort((a, b) => Number(a) - Number(b));
  const [least, most] = [values[0] ?? '', values.at(-1) ?? ''];
  return least === most ? least : `${least}–${most}`;
}

function byVerb(runs: Rollout[]): string {
  const sums: Record<string, number> = {};
  for (const { requests } of runs) {
    for (const [key, count] of Object.entries(requests)) sums[key] = (sums[key] ?? 0) + count;
  }
  return Object.entries(sums)
    .sort()
    .map(([key, count]) => `${key}: ${count}`)
    .join(', ');
}
