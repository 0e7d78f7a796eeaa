import type { Violation } from './judge.ts';
import type { Happening } from './run.ts';

/** How much of what happened is printed; the whole is in the files. */
const TAIL_ROWS = 80;

/** What a person sees of an invariant that is broken. */
export function violationText(
  { invariant, atMs, nodes, text }: Violation,
  last: readonly Happening[],
  {
    seed,
    agents,
    minutes,
    folder,
  }: { seed: number; agents: number; minutes: number; folder: string },
): string {
  const concerned = last.filter(
    ({ node }) => node === '' || nodes.length === 0 || nodes.includes(node),
  );
  const rows = concerned.filter((one) => one.atMs <= atMs + 1_000).slice(-TAIL_ROWS);
  return [
    `invariant ${invariant} is broken at ${time(atMs)}: ${text}`,
    ...rows.map((one) => `  ${time(one.atMs)} ${one.node.padEnd(8)} ${one.text}`),
    `Look:  host-upgrades inspect ${folder}/*/state*/journal*.ndjson`,
    `Logs:  ${folder}/*/log.ndjson`,
    `Again: npm run chaos -- --seed ${seed} --agents ${agents} --minutes ${minutes}`,
  ].join('\n');
}

function time(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23);
}
