import { type Axis, xOf } from './axis.ts';
import { endOfSegment } from './bars.ts';
import type { Segment, Stream } from './history.ts';
import { PHASES, type Phase } from './states.ts';

const COLUMN_PX = 2;

/**
 * For more streams than there is room for as lanes: how many of them were in each phase, as areas
 * that are stacked over the axis. SVG paths by phase; the height is that of the most at once.
 */
export function sharesOf(
  streams: readonly Stream[],
  axis: Axis,
  heightPx: number,
): { phase: Phase; path: string }[] {
  const columns = Math.max(1, Math.ceil(axis.widthPx / COLUMN_PX));
  const changes = new Map(PHASES.map((phase) => [phase, new Float64Array(columns + 1)]));
  const nowMs = axis.pieces.at(-1)?.toMs ?? axis.toMs;
  for (const stream of streams) {
    let free = 0;
    for (const [index, { phase, begin }] of (stream.segments as Segment[]).entries()) {
      const first = Math.max(free, columnOf(xOf(begin.atMs, axis)));
      const end = columnOf(xOf(endOfSegment(stream, index, nowMs), axis));
      const last = Math.min(columns, Math.max(end, first + 1));
      if (end < free || first >= columns) continue;
      const change = changes.get(phase) as Float64Array;
      change[first] = (change[first] ?? 0) + 1;
      change[last] = (change[last] ?? 0) - 1;
      free = last;
    }
  }
  const below = new Float64Array(columns);
  const perStreamPx = heightPx / mostAtOnce([...changes.values()]);
  return PHASES.flatMap((phase) => {
    const path = areaOf(changes.get(phase) as Float64Array, below, perStreamPx);
    return path === '' ? [] : [{ phase, path }];
  });
}

function columnOf(x: number): number {
  return Math.floor(x / COLUMN_PX);
}

function mostAtOnce(changes: readonly Float64Array[]): number {
  let [most, now] = [1, 0];
  for (const column of (changes[0] ?? new Float64Array()).keys()) {
    for (const change of changes) now += change[column] ?? 0;
    most = Math.max(most, now);
  }
  return most;
}

/** The counts on top of those below, to which they are added. */
function areaOf(change: Float64Array, below: Float64Array, perStreamPx: number): string {
  let path = '';
  let count = 0;
  for (let column = 0; column < below.length; column += 1) {
    count += change[column] ?? 0;
    if (count === 0) continue;
    const y = (below[column] ?? 0) * perStreamPx;
    const height = count * perStreamPx;
    path += `M${column * COLUMN_PX} ${y.toFixed(2)}h${COLUMN_PX}v${height.toFixed(2)}h-${COLUMN_PX}z`;
    below[column] = (below[column] ?? 0) + count;
  }
  return path;
}
