import { useMemo, useRef } from 'preact/hooks';
import { type Axis, timeAt, xOf } from './axis.ts';
import { barsOf, nearest } from './bars.ts';
import type { History, Item, Stream } from './history.ts';
import { PhaseKey } from './parts.tsx';
import type { Session } from './session.ts';
import { sharesOf } from './shares.ts';
import type { ShownTime } from './shown-time.ts';
import { PHASES } from './states.ts';
import { Breaks, Ticks } from './time-marks.tsx';
import { TimeTools } from './time-tools.tsx';
import { useTimeDrag } from './use-time.ts';
import { useWidth } from './use-width.ts';
import { dateOf, distance, duration, plural, timeOfDay } from './words.ts';

const HEIGHT_PX = 30;
const TICKS_PX = 15;
const LABEL_MIN_PX = 54;
/** More streams than this are counted instead of drawn as lanes. */
const LANES_MOST = 10;

/** Everything on one axis of time, by phase; a click goes to that time. */
export function Overview({ session, time }: { session: Session; time: ShownTime }) {
  const [frame, widthPx] = useWidth();
  const { moment, history } = session;
  const streams = [...history.streams.values()];
  const axis = time.axis(widthPx);
  const picture = useRef<SVGSVGElement>(null);
  const pointer = useTimeDrag(picture, time, axis);
  const { deadline } = time;
  const isCounted = streams.length > LANES_MOST;
  const lanePx = HEIGHT_PX / Math.max(1, streams.length);
  const seen = new Set(streams.flatMap(({ segments }) => segments.map(({ phase }) => phase)));

  const onClick = (event: MouseEvent) => {
    const { left, top } = (event.currentTarget as Element).getBoundingClientRect();
    const lane = Math.min(streams.length - 1, Math.floor((event.clientY - top) / lanePx));
    const items: readonly Item[] = isCounted ? history.items : (streams[lane]?.items ?? []);
    const found = nearest(items, timeAt(event.clientX - left, axis));
    if (found) session.select(found.index);
  };
  const cursorX = moment ? xOf(moment.atMs, axis) : -1;
  const deadlineX = deadline ? xOf(deadline.atMs, axis) : -1;

  return (
    <section class="overview" aria-label="Time">
      <div class="overview-head">
        <TimeTools time={time} />
        <span class="legend">
          {PHASES.filter((phase) => seen.has(phase)).map((phase) => (
            <PhaseKey key={phase} phase={phase} />
          ))}
        </span>
        {deadline && <Deadline atMs={deadline.atMs} nowMs={moment?.atMs ?? deadline.atMs} />}
      </div>
      <div class="overview-frame" ref={frame}>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys step through the same events */}
        <svg
          width={widthPx}
          height={HEIGHT_PX + TICKS_PX}
          role="img"
          aria-label={`Phases over time${isCounted ? `, of ${plural(streams.length, 'node')} together` : ''}`}
          ref={picture}
          onPointerDown={pointer.onPointerDown}
          onPointerMove={pointer.onPointerMove}
          onClickCapture={pointer.onClickCapture}
          onClick={onClick}
        >
          <rect class="ground" width={widthPx} height={HEIGHT_PX} rx="4" />
          {isCounted ? (
            <Shares history={history} axis={axis} />
          ) : (
            streams.map((stream, lane) => (
              <Bars
                key={stream.key}
                stream={stream}
                y={lane * lanePx}
                height={lanePx > 8 ? lanePx - 1 : lanePx}
                axis={axis}
                labelPx={lanePx > 14 ? LABEL_MIN_PX : Number.POSITIVE_INFINITY}
              />
            ))
          )}
          <Breaks axis={axis} heightPx={HEIGHT_PX} labelY={HEIGHT_PX / 2 + 4} />
          <Ticks axis={axis} y={HEIGHT_PX} />
          {deadline && !deadline.isBeyond && (
            <path class="deadline" d={`M${deadlineX - 1} 0V${HEIGHT_PX}`} />
          )}
          <Cursor x={cursorX} axis={axis} heightPx={HEIGHT_PX} />
        </svg>
      </div>
    </section>
  );
}

/** Where the selected event is, if that is in sight. */
export function Cursor({ x, axis, heightPx }: { x: number; axis: Axis; heightPx: number }) {
  if (x < 0 || x > axis.widthPx) return null;
  return (
    <path
      class="cursor"
      d={`M${Math.min(axis.widthPx - 1, Math.max(1, x)).toFixed(1)} 0V${heightPx}`}
    />
  );
}

function Deadline({ atMs, nowMs }: { atMs: number; nowMs: number }) {
  return (
    <span class="deadline-word" title={dateOf(atMs)}>
      ┊ deadline {timeOfDay(atMs).slice(0, 8)} <span class="muted">({distance(atMs - nowMs)})</span>
    </span>
  );
}

/** How many nodes were in which phase, at each time. */
function Shares({ history, axis }: { history: History; axis: Axis }) {
  const count = history.items.length;
  const shares = useMemo(
    () => sharesOf([...history.streams.values()], axis, HEIGHT_PX),
    [history, count, axis],
  );
  return (
    <g class="shares">
      {shares.map(({ phase, path }) => (
        <path key={phase} d={path} fill={`url(#phase-${phase})`}>
          <title>{`${phase}: the height is how many nodes, up to the most at once`}</title>
        </path>
      ))}
    </g>
  );
}

/** A stream's phases; named where a bar is wider than its name by `labelPx`. */
export function Bars({
  stream,
  y,
  height,
  axis,
  labelPx,
}: {
  stream: Stream;
  y: number;
  height: number;
  axis: Axis;
  labelPx: number;
}) {
  const count = stream.items.length;
  const { divergence } = stream;
  const brokenX = divergence ? xOf(divergence.atMs, axis) : -1;
  // Kept: what is drawn only changes with these, not with each event that is selected.
  return useMemo(
    () => (
      <g class="bars">
        {barsOf(stream, axis).map(({ phase, x, width, beginMs, endMs }) => (
          <g key={x}>
            <rect x={x} y={y} width={width} height={height} fill={`url(#phase-${phase})`}>
              <title>{`${stream.node}: ${phase}, ${duration(endMs - beginMs)}`}</title>
            </rect>
            {width > labelPx + phase.length * 3 && (
              <text class="bar-word" x={x + 6} y={y + height / 2 + 4}>
                {phase}
              </text>
            )}
          </g>
        ))}
        {brokenX >= 0 && brokenX <= axis.widthPx && (
          <text class="refused-mark" x={Math.max(5, brokenX)} y={y + height / 2 + 4}>
            <title>{`${stream.node}: refused from here on`}</title>✕
          </text>
        )}
      </g>
    ),
    [stream, count, axis, y, height, labelPx, brokenX],
  );
}
