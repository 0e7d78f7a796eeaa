import type { NodeOutcome, Outcome } from './outcome.ts';

const WIDTH = 80;
const HEAD = ['order', 'node', 'waited', 'held', 'requests', 'conflicts', 'result'];
/** Columns that are read as numbers. */
const IS_RIGHT = [true, false, true, true, true, true, false];
const GAP = '  ';

/** The nodes in the order in which they held the lock; no line is wider than 80 columns. */
export function table(nodes: NodeOutcome[]): string {
  const rows = [HEAD, ...nodes.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => {
      const line = row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return IS_RIGHT[column] ? cell.padStart(width) : cell.padEnd(width);
        })
        .join(GAP)
        .trimEnd();
      return `${cut(line)}\n`;
    })
    .join('');
}

function cells(node: NodeOutcome): string[] {
  return [
    node.order === null ? '-' : `${node.order}`,
    node.node,
    seconds(node.waitedMs),
    node.order === null ? '-' : seconds(node.heldMs),
    `${node.requests}`,
    `${node.conflicts}`,
    result(node),
  ];
}

function result({ state, error, rebootRequired, isRebooted }: NodeOutcome): string {
  if (state === 'failed') return `failed: ${(error ?? '').split('\n')[0]}`;
  if (state === 'done' && isRebooted) return 'done, rebooted';
  if (state === 'interrupted') return 'never came back';
  return state === 'done' && rebootRequired ? 'done, reboot required' : state;
}

function cut(line: string): string {
  return line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 3)}...`;
}

/** The rollout in two sentences. */
export function totals({ nodes, handOffsMs, durationMs }: Outcome): string {
  const requests = nodes.reduce((sum, node) => sum + node.requests, 0);
  const conflicts = nodes.reduce((sum, node) => sum + node.conflicts, 0);
  const sorted = handOffsMs.toSorted((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)];
  const handOffs = `${count(sorted.length, 'hand-off')}${median === undefined ? '' : ` (median ${median} ms)`}`;
  const each = (requests / nodes.length).toFixed(1);
  return `${count(nodes.length, 'node')} in ${seconds(durationMs)}: ${handOffs}, ${count(conflicts, 'conflict')}, ${requests} requests (${each} a node)\n`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
