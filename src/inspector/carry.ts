import { advance, pointOf, type RunSnapshot, snapshotAt, start } from '../../machines/fold.ts';
import type { Row } from './rows.ts';

/** `row` of a source with the point where its run was after the rows before it. */
export function carryOn(before: readonly Row[], row: Row): Row {
  if (row.kind !== 'record') return row;
  let snapshot: RunSnapshot | null = null;
  for (const one of before) snapshot = after(snapshot, one);
  return snapshot === null ? row : { ...row, point: pointOf(snapshot) };
}

function after(snapshot: RunSnapshot | null, row: Row): RunSnapshot | null {
  if (row.kind !== 'record') return snapshot;
  const { record, point } = row;
  if ('input' in record) return start(record.input).snapshot;
  const from = point ? snapshotAt(point) : snapshot;
  return from && (advance(from, record.event)?.snapshot ?? from);
}
