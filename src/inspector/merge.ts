import type { Row } from './rows.ts';

/**
 * Several histories on one time axis. The order within one is kept, whatever its clock says; at the
 * same time the one that is named first comes first. A divergence stays behind the row before it.
 */
export function mergeRows(histories: readonly (readonly Row[])[]): Row[] {
  const merging = mergeSteps(histories);
  for (;;) {
    const { done, value } = merging.next();
    if (done) return value;
  }
}

/** mergeRows() in small steps. */
export function* mergeSteps(histories: readonly (readonly Row[])[]): Generator<void, Row[]> {
  const queues = histories.map((rows) => ({ rows, next: 0 })).filter(({ rows }) => rows.length > 0);
  const merged: Row[] = [];
  while (queues.length > 0) {
    const first = queues.reduce((best, queue) => (dueMs(queue) < dueMs(best) ? queue : best));
    merged.push(first.rows[first.next] as Row);
    first.next += 1;
    if (first.next === first.rows.length) queues.splice(queues.indexOf(first), 1);
    yield;
  }
  return merged;
}

function dueMs({ rows, next }: { rows: readonly Row[]; next: number }): number {
  const row = rows[next] as Row;
  if (row.kind === 'divergence') return Number.NEGATIVE_INFINITY;
  return row.kind === 'record' ? row.record.atMs : row.atMs;
}
