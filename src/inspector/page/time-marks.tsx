import { type Axis, type Piece, piecesInSight } from './axis.ts';
import { breakLabel, ticksOf } from './ticks.ts';
import { duration, plural } from './words.ts';

const TOOTH_PX = 3;
/** Narrower breaks have no room for an edge: of those a strip above says that they are there. */
const TORN_MIN_PX = 4 * TOOTH_PX;
const STRIP_PX = 3;

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
  const all = piecesInSight(axis).filter(({ isBreak }) => isBreak);
  if (all.length === 0) return null;
  const breaks = all.filter(({ width }) => width >= TORN_MIN_PX);
  const narrow = all.filter(({ width }) => width < TORN_MIN_PX);
  return (
    <g class="breaks">
      {narrow.length > 0 && (
        <path class="strip" d={strips(narrow)}>
          <title>{`${plural(narrow.length, 'gap')} left out, in which nothing happened`}</title>
        </path>
      )}
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

/** Where the narrow ones are, at most one a pixel. */
function strips(narrow: readonly Piece[]): string {
  let freeX = 0;
  return narrow
    .flatMap(({ x, width }) => {
      const [left, right] = [Math.max(freeX, Math.floor(x)), Math.ceil(x + width)];
      if (right <= left) return [];
      freeX = right;
      return [`M${left} 0h${right - left}v${STRIP_PX}h${left - right}z`];
    })
    .join('');
}

function tears({ x, width }: Piece, heightPx: number): string {
  const at = [x + 1, x + width - 1];
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
