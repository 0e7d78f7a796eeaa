import type { Scale } from './bars.ts';
import type { History, RecordItem } from './history.ts';

/** The deadline as it is drawn: beyond the end where it lies far behind everything else. */
export interface DeadlineMark {
  atMs: number;
  isBeyond: boolean;
}

/** The time that is drawn: of a run, or of everything; up to the deadline where that is near. */
export function overviewScale(
  history: History,
  run: RecordItem['run'],
  deadlineMs: number | null,
  widthPx: number,
): { scale: Scale; deadline: DeadlineMark | null } {
  const [fromMs, endMs] = run ? spanOfRun(run) : spanOfAll(history);
  const lengthMs = Math.max(1, endMs - fromMs);
  const isNear = deadlineMs !== null && deadlineMs <= endMs + lengthMs / 2;
  const toMs = isNear ? Math.max(fromMs + lengthMs, deadlineMs) : fromMs + lengthMs;
  return {
    scale: { fromMs, toMs, widthPx },
    deadline: deadlineMs === null ? null : { atMs: deadlineMs, isBeyond: !isNear },
  };
}

function spanOfRun({ stream, begin, end }: NonNullable<RecordItem['run']>): [number, number] {
  return spanOf([stream.items], begin, end);
}

function spanOfAll({ streams }: History): [number, number] {
  return spanOf([...streams.values()].map(({ items }) => items));
}

/** From the earliest to the latest: clocks may have been set in between. */
function spanOf(
  lists: readonly (readonly { atMs: number }[])[],
  begin = 0,
  end = Number.POSITIVE_INFINITY,
): [number, number] {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const items of lists) {
    for (let index = begin; index < items.length && index <= end; index += 1) {
      const { atMs } = items[index] as { atMs: number };
      from = Math.min(from, atMs);
      to = Math.max(to, atMs);
    }
  }
  return from <= to ? [from, to] : [0, 0];
}

/** The record of the stream nearest to a time, by halving; its clock goes forward, mostly. */
export function nearest(items: readonly RecordItem[], atMs: number): RecordItem | null {
  let [low, high] = [0, items.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle] as RecordItem).atMs < atMs) low = middle + 1;
    else high = middle;
  }
  const [one, other] = [items[low], items[low - 1]];
  if (!one || !other) return one ?? null;
  return Math.abs(other.atMs - atMs) < Math.abs(one.atMs - atMs) ? other : one;
}
