import type { RecordItem } from './history.ts';
import { withAncestors } from './states.ts';

/**
 * How long a run was in each state up to a record, in ms, also in those around others. The states
 * that it has been in are the keys; the one it is in now counts up to this record.
 */
export function spentUpTo({ stream, run, position }: RecordItem): Map<string, number> {
  const spent = new Map<string, number>();
  if (run === null) return spent;
  for (let at = run.begin; at <= position; at += 1) {
    const { row, atMs } = stream.items[at] as RecordItem;
    const endMs = at === position ? atMs : (stream.items[at + 1] as RecordItem).atMs;
    for (const id of withAncestors(row.record.state)) {
      // A clock that was set back takes nothing away.
      spent.set(id, (spent.get(id) ?? 0) + Math.max(0, endMs - atMs));
    }
  }
  return spent;
}
