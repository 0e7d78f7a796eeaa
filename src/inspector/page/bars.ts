import { type Axis, xOf } from './axis.ts';
import { countWhile } from './halving.ts';
import type { RecordItem, Segment, Stream } from './history.ts';
import type { Phase } from './states.ts';

/** A stretch of time as it is drawn, in px. */
export interface Bar {
  phase: Phase;
  x: number;
  width: number;
  beginMs: number;
  endMs: number;
}

/**
 * A stream's phases in sight as bars, each up to the next. Of those that fall on one pixel the
 * longest is drawn, so there are never more bars than pixels.
 */
export function barsOf(stream: Stream, axis: Axis): Bar[] {
  const { segments } = stream;
  const bars: Bar[] = [];
  let freeX = 0;
  for (let index = firstInSight(segments, axis.fromMs); index < segments.length; index += 1) {
    const { phase, begin } = segments[index] as Segment;
    const beginMs = begin.atMs;
    const endMs = endOfSegment(stream, index, axis.pieces.at(-1)?.toMs ?? axis.toMs);
    const [left, right] = [xOf(beginMs, axis), Math.min(axis.widthPx, xOf(endMs, axis))];
    if (left > axis.widthPx) continue;
    const last = bars.at(-1);
    if (right < freeX) {
      const isLonger = last && endMs - beginMs > last.endMs - last.beginMs;
      if (isLonger && last.width <= 1) bars[bars.length - 1] = { ...last, phase, beginMs, endMs };
      continue;
    }
    const x = Math.max(left, freeX);
    const width = Math.max(1, right - x);
    bars.push({ phase, x, width, beginMs, endMs });
    freeX = x + width;
  }
  return bars;
}

/** The last segment that had begun by a time; the clock goes forward, mostly. */
function firstInSight(segments: readonly Segment[], fromMs: number): number {
  return Math.max(0, countWhile(segments, ({ begin }) => begin.atMs <= fromMs) - 1);
}

const ENDED: ReadonlySet<Phase> = new Set(['done', 'failed', 'stopped']);

/** A run that has ended, or is refused, is over; one that has not goes on until `nowMs`. */
export function endOfSegment(stream: Stream, index: number, nowMs: number): number {
  const { segments, runs, divergence } = stream;
  const { begin, end, phase } = segments[index] as Segment;
  const next = segments[index + 1];
  if (next && next.begin.run === begin.run) return Math.max(begin.atMs, next.begin.atMs);
  if (ENDED.has(phase) || divergence || runs.at(-1) !== begin.run)
    return Math.max(begin.atMs, end.atMs);
  return Math.max(begin.atMs, nowMs);
}

/** The record nearest to a time; the clock goes forward, mostly. */
export function nearest<Timed extends { atMs: number }>(
  items: readonly Timed[],
  atMs: number,
): Timed | null {
  const earlier = countWhile(items, (item) => item.atMs < atMs);
  const at = Math.min(earlier, items.length - 1);
  const [one, other] = [items[at], items[at - 1]];
  if (!one || !other) return one ?? null;
  return Math.abs(other.atMs - atMs) < Math.abs(one.atMs - atMs) ? other : one;
}

/** The last record of a stream at or ahead of a place on the common axis. */
export function recordAt({ items }: Stream, index: number): RecordItem | null {
  return items[countWhile(items, (item) => item.index <= index) - 1] ?? null;
}

/** Whether the machine has refused a stream by a place on the common axis. */
export function isRefusedAt({ divergence }: Stream, index: number): boolean {
  return divergence !== null && divergence.index <= index;
}
