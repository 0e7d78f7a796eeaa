import type { RecordItem } from './history.ts';
import { blockerOf, type Hold } from './lock-band.ts';
import { duration } from './words.ts';

/** How long a run had to wait for the lock up to a record, and for whom, in words. */
export function waitingWords(
  { stream, run, position }: RecordItem,
  holds: readonly Hold[],
): string {
  if (run === null) return 'its run began before this history does';
  if (run.input.daemonSet === '') return 'needs no lock';
  const begin = stream.items[run.begin] as RecordItem;
  const got = stream.items
    .slice(run.begin, position + 1)
    .find(({ row }) => !row.record.state.startsWith('acquiring'));
  const end = got ?? (stream.items[position] as RecordItem);
  const waited = duration(end.atMs - begin.atMs);
  const blocker = blockerOf(holds, stream.node, begin.atMs, end.atMs);
  const behind = blocker ? behindWords(blocker, end.atMs - begin.atMs) : '';
  if (!got) return `has waited ${waited} for the lock${behind}`;
  if (!got.row.record.state.startsWith('locked')) return `gave up after ${waited}${behind}`;
  return got === begin ? 'held the lock from the start' : `waited ${waited} for the lock${behind}`;
}

function behindWords({ holder, ms }: { holder: string; ms: number }, waitedMs: number): string {
  const share = ms > waitedMs * 0.95 ? '' : `${duration(ms)} of it `;
  return `, ${share}behind ${holder}`;
}
