import type { Entry } from './history.ts';
import type { Violation } from './judge.ts';
import type { Plan } from './plan.ts';

/** How much of a history is printed; the whole is in the files. */
const TAIL_ROWS = 120;

/** `12.345 node-1  text`, time since the beginning in s. */
export function historyText(entries: readonly Entry[]): string {
  const firstMs = entries[0]?.atMs ?? 0;
  return entries
    .flatMap(({ atMs, node, text }) =>
      text.split('\n').map((row) => `${seconds(atMs - firstMs)} ${node.padEnd(8)} ${row}`),
    )
    .join('\n');
}

/** What a person sees of a seed that violates an invariant. */
export function failureText(
  seed: number,
  isDirected: boolean,
  { invariant, text, atMs }: Violation,
  shrunk: { plan: Plan; trials: number; entries: readonly Entry[] },
  files: { plan: string; journals: string[] },
): string {
  const { plan, trials, entries } = shrunk;
  const firstMs = entries[0]?.atMs ?? atMs;
  const rows = historyText(entries).split('\n');
  const left = rows.length - TAIL_ROWS;
  return [
    `${isDirected ? 'a directed plan of ' : ''}seed ${seed} violates invariant ${invariant}: ${text}`,
    `Shrunk in ${trials} tries to ${plan.nodes.length} nodes and ${plan.steps.length} steps; ${seconds(atMs - firstMs).trim()} s of virtual time:`,
    ...(left > 0 ? [`... ${left} rows`] : []),
    ...rows.slice(-TAIL_ROWS),
    `Again:   npm run simulate -- --plan ${files.plan}`,
    `Look:    host-upgrades inspect ${files.journals.join(' ')}`,
    ...(isDirected ? [] : [`From the seed: npm run simulate -- --seeds ${seed}..${seed}`]),
  ].join('\n');
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3).padStart(9);
}
