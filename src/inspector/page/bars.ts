import type { Segment, Stream } from './history.ts';
import type { Phase } from './states.ts';

/** A stretch of time as it is drawn, in px. */
export interface Bar {
  phase: Phase;
  x: number;
  width: number;
  beginMs: number;
  endMs: number;
}

/** A stretch of time over a width. */
export interface Scale {
  fromMs: number;
  toMs: number;
  widthPx: number;
}

export function xOf(atMs: number, { fromMs, toMs, widthPx }: Scale): number {
  return toMs === fromMs ? 0 : ((atMs - fromMs) / (toMs - fromMs)) * widthPx;
}

/** The time at an x, ms since the epoch. */
export function timeAt(x: number, { fromMs, toMs, widthPx }: Scale): number {
  return fromMs + (x / Math.max(1, widthPx)) * (toMs - fromMs);
}

/**
 * A stream's phases as bars, each up to the next. Of those that fall on one pixel the first is drawn,
 * so there are never more bars than pixels.
 */
export function barsOf({ segments, runs }: Stream, scale: Scale): Bar[] {
  const bars: Bar[] = [];
  let freeX = Number.NEGATIVE_INFINITY;
  for (const [index, segment] of segments.entries()) {
    const endMs = endOf(
      segment,
      segments[index + 1],
      runs.at(-1) === segment.begin.run,
      scale.toMs,
    );
    const beginMs = segment.begin.atMs;
    const [left, right] = [
      Math.max(0, xOf(beginMs, scale)),
      Math.min(scale.widthPx, xOf(endMs, scale)),
    ];
    if (right < 0 || left > scale.widthPx || right < freeX) continue;
    const x = Math.max(left, freeX);
    const width = Math.max(1, right - x);
    bars.push({ phase: segment.phase, x, width, beginMs, endMs });
    freeX = x + width;
  }
  return bars;
}

const ENDED: ReadonlySet<Phase> = new Set(['done', 'failed', 'stopped']);

/** A run that has ended is over; one that has not goes on. */
function endOf(
  { begin, end, phase }: Segment,
  next: Segment | undefined,
  isLast: boolean,
  nowMs: number,
): number {
  if (next && next.begin.run === begin.run) return Math.max(begin.atMs, next.begin.atMs);
  if (ENDED.has(phase) || !isLast) return Math.max(begin.atMs, end.atMs);
  return Math.max(begin.atMs, nowMs);
}
