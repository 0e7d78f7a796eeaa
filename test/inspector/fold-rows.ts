import { advance, type RunSnapshot, snapshotAt, start, stateName } from '../../machines/fold.ts';
import type { Row } from '../../src/inspector/rows.ts';

/** The states that folding each source's records gives, beside those that the records say. */
export function foldRows(rows: readonly Row[]): { folded: string[]; said: string[] } {
  const snapshots = new Map<string, RunSnapshot>();
  const folded: string[] = [];
  const said: string[] = [];
  for (const row of rows) {
    if (row.kind !== 'record') continue;
    const { source, record, point } = row;
    const before = point ? snapshotAt(point) : snapshots.get(source);
    const step = 'input' in record ? start(record.input) : before && advance(before, record.event);
    if (step) snapshots.set(source, step.snapshot);
    folded.push(step ? stateName(step.snapshot.value) : `not possible: ${JSON.stringify(record)}`);
    said.push(record.state);
  }
  return { folded, said };
}
