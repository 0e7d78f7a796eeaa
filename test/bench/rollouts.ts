import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from '../cluster/cluster.ts';
import { figuresOf, figuresTable } from './figures.ts';
import { plotsOf } from './plots.ts';
import { AGENTS_A_PROCESS, prepare, type Rollout, rollout } from './rollout.ts';

/** The sizes of fleets, and how often each is measured: the large ones have many hand-offs each. */
const FLEETS = new Map([
  [10, 3],
  [30, 3],
  [60, 3],
  [100, 3],
  [300, 1],
  [1_000, 1],
]);
const SIZES = [...FLEETS.keys()];

/**
 * Rollouts of several fleet sizes, side by side with the figures of the Go program; the plots of
 * them are written beside this file.
 */
export async function benchRollouts(cluster: Cluster, write: (text: string) => void) {
  write(
    `\nWhole rollouts on a real kube-apiserver and etcd on loopback, with the DaemonSet and its service account; an agent is a machine with a client and a connection of its own, at most ${AGENTS_A_PROCESS} a process; upgrades of zero length, all nodes ticking at once; ${cpus().length} cores, Node ${process.version}\n\n`,
  );
  await prepare(cluster);
  const runs: Rollout[] = [];
  for (const [nodes, times] of FLEETS) {
    for (let time = 1; time <= times; time += 1) {
      const progress = (turns: number) => {
        if (turns % 100 === 0 && nodes > 100) write(`  ${turns} of ${nodes} had their turn\n`);
      };
      const prefix = `bench-${nodes}-${time}`;
      const run = await rollout(cluster, { nodes, prefix, isHeld: false, progress });
      write(`N = ${nodes}, run ${time} of ${times}: ${run.seconds.toFixed(1)} s, ${byVerb(run)}\n`);
      runs.push(run);
    }
  }
  const figures = figuresOf(runs);
  write(`\n${figuresTable(figures, SIZES)}\n`);
  for (const [name, svg] of Object.entries(plotsOf(figures, SIZES))) {
    const path = join(import.meta.dirname, name);
    writeFileSync(path, svg);
    write(`${path}\n`);
  }
}

function byVerb({ requests }: Rollout): string {
  return Object.entries(requests)
    .map(([key, count]) => `${key}: ${count}`)
    .join(', ');
}
