import { type Axis, xOf } from './axis.ts';
import type { Hold } from './lock-band.ts';
import { duration } from './words.ts';

const CHAR_PX = 7;
/** Narrower ones would be nothing but their edges. */
const EDGED_PX = 4;

/** Who held a lock over an axis. Of the holders on one pixel the first is drawn. */
export function LockBandRow({
  holds,
  axis,
  heightPx,
  toneOf,
}: {
  holds: readonly Hold[];
  axis: Axis;
  heightPx: number;
  toneOf: (holder: string) => number;
}) {
  return (
    <g>
      <rect class="band-free" width={axis.widthPx} height={heightPx} />
      {inSight(holds, axis).map(({ hold: { holder, fromMs, toMs }, x, width }) => (
        <g key={fromMs}>
          <rect
            class={`band band-${toneOf(holder)}${width < EDGED_PX ? ' thin' : ''}`}
            x={x}
            width={width}
            height={heightPx}
          >
            <title>{`${holder} held the lock for ${duration(toMs - fromMs)}`}</title>
          </rect>
          {width > holder.length * CHAR_PX + 10 && (
            <text class="band-word" x={x + 5} y={heightPx / 2 + 4}>
              {holder}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}

function inSight(holds: readonly Hold[], axis: Axis): { hold: Hold; x: number; width: number }[] {
  const drawn: { hold: Hold; x: number; width: number }[] = [];
  let freeX = 0;
  for (const hold of holds) {
    const [left, right] = [xOf(hold.fromMs, axis), Math.min(axis.widthPx, xOf(hold.toMs, axis))];
    if (left > axis.widthPx || right < freeX) continue;
    const x = Math.max(left, freeX);
    const width = Math.max(1, right - x);
    drawn.push({ hold, x, width });
    freeX = x + width;
  }
  return drawn;
}
