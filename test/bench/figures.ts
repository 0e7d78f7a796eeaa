import { type Figures, GO_ROLLOUT, type Range } from './peers.ts';
import type { Rollout } from './rollout.ts';
import { table } from './table.ts';
import { percentile } from './turns.ts';

interface Measure {
  name: string;
  digits: number;
  of(run: Rollout): number;
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

export const MEASURES: readonly Measure[] = [
  { name: 'requests a node', digits: 1, of: (run) => run.requestsANode },
  { name: 'conflicts (409), in all', digits: 0, of: (run) => run.conflicts },
  { name: 'hand-off p50, ms', digits: 0, of: (run) => percentile(run.handOffsMs, 0.5) },
  { name: 'hand-off p95, ms', digits: 0, of: (run) => percentile(run.handOffsMs, 0.95) },
  { name: 'whole rollout, s', digits: 1, of: (run) => run.seconds },
  { name: 'API server, CPU s', digits: 1, of: (run) => run.serverCpuS },
  { name: 'changes seen by a node', digits: 0, of: (run) => run.changes / run.nodes },
  { name: 'processes with agents', digits: 0, of: (run) => run.workers.length },
  {
    name: '  resident, peak MB, in all',
    digits: 0,
    of: (run) => sum(run.workers.map((worker) => worker.peakMb)),
  },
  {
    name: '  CPU s, in all',
    digits: 1,
    of: (run) => sum(run.workers.map((worker) => worker.cpuS)),
  },
];

/** What several rollouts amount to. */
export function figuresOf(runs: readonly Rollout[]): Figures {
  const figures: Figures = {};
  for (const { name, of } of MEASURES) {
    const row: Record<number, Range> = {};
    for (const run of runs) {
      const value = of(run);
      const [least, most] = row[run.nodes] ?? [value, value];
      row[run.nodes] = [Math.min(least, value), Math.max(most, value)];
    }
    figures[name] = row;
  }
  return figures;
}

/** A row for each measure, the Go program's below it where there is one. */
export function figuresTable(figures: Figures, sizes: readonly number[]): string {
  const rows = MEASURES.flatMap(({ name, digits }) => {
    const cells = (row: Record<number, Range> | undefined, decimals: number | null) =>
      sizes.map((nodes) => rangeText(row?.[nodes], decimals));
    const peer = GO_ROLLOUT[name];
    return [
      [name, ...cells(figures[name], digits)],
      ...(peer ? [['  Go program', ...cells(peer, null)]] : []),
    ];
  });
  return table([['', ...sizes.map((nodes) => `N = ${nodes.toLocaleString('en')}`)], ...rows]);
}

/** With so many decimals; null: as it is. */
function rangeText(range: Range | undefined, digits: number | null): string {
  if (range === undefined) return '';
  const [least, most] = range.map((value) =>
    digits === null ? `${value}` : value.toFixed(digits),
  );
  return least === most ? `${least}` : `${least}–${most}`;
}
