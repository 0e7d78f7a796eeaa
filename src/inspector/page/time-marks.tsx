import { type Axis, type Piece, piecesInSight } from './axis.ts';
import { breakLabel, ticksOf } from './ticks.ts';
import { duration } from './words.ts';

const TOOTH_PX = 3;

/** Where time is left out: torn edges, and between them how much. */
export function Breaks({
  axis,
  heightPx,
  labelY,
}: {
  axis: Axis;
  heightPx: number;
  /** The baseline of the labels; where there is none, nothing is said. */
  labelY?: number;
}) {
  const breaks = piecesInSight(axis).filter(({ isBreak }) => isBreak);
  if (breaks.length === 0) return null;
  return (
    <g class="breaks">
      {labelY === undefined ? (
        <>
          <path class="break" d={breaks.map((one) => tornPath(one, heightPx)).join('')} />
          <path class="tear" d={breaks.map((one) => tears(one, heightPx)).join('')} />
        </>
      ) : (
        breaks.map((one) => (
          <g key={one.fromMs} class="break-mark">
            <title>{`${duration(one.toMs - one.fromMs)} left out, in which nothing happened`}</title>
            <path class="break" d={tornPath(one, heightPx)} />
            <path class="tear" d={tears(one, heightPx)} />
            <text class="break-word" x={one.x + one.width / 2} y={labelY}>
              {breakLabel(one)}
            </text>
          </g>
        ))
      )}
    </g>
  );
}

function tornPath({ x, width }: Piece, heightPx: number): string {
  return `M${x.toFixed(1)} 0h${width.toFixed(1)}v${heightPx}h${(-width).toFixed(1)}z`;
}

/** One tear in the middle where there is no room for two. */
function tears({ x, width }: Piece, heightPx: number): string {
  const at = width < 4 * TOOTH_PX ? [x + width / 2] : [x + 1, x + width - 1];
  const teeth = Math.ceil(heightPx / (2 * TOOTH_PX));
  const zigzag = `l${TOOTH_PX} ${TOOTH_PX}l${-TOOTH_PX} ${TOOTH_PX}`.repeat(teeth);
  return at.map((left) => `M${(left - TOOTH_PX / 2).toFixed(1)} 0${zigzag}`).join('');
}

/** Times below what is drawn over an axis. */
export function Ticks({ axis, y }: { axis: Axis; y: number }) {
  return (
    <g class="ticks">
      {ticksOf(axis).map(({ x, text }) => (
        <g key={x}>
          <path d={`M${x.toFixed(1)} ${y}v13`} />
          <text x={x + 3} y={y + 11}>
            {text}
          </text>
        </g>
      ))}
    </g>
  );
}
