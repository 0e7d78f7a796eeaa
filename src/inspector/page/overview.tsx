import { useState } from 'preact/hooks';
import { barsOf, timeAt, xOf } from './bars.ts';
import type { Stream } from './history.ts';
import { nearest, overviewScale } from './overview-scale.ts';
import { PhaseKey } from './parts.tsx';
import type { Session } from './session.ts';
import { PHASES } from './states.ts';
import { useWidth } from './use-width.ts';
import { dateOf, distance, duration, timeOfDay } from './words.ts';

const HEIGHT_PX = 30;
const LABEL_MIN_PX = 54;

/** Everything on one axis of time, by phase; a click goes to that time. */
export function Overview({ session }: { session: Session }) {
  const [frame, widthPx] = useWidth();
  const { moment, history } = session;
  const streams = [...history.streams.values()];
  const canNarrow = streams.length === 1 && (streams[0]?.runs.length ?? 0) > 1;
  const [isWide, setWide] = useState(false);
  const run = canNarrow && !isWide ? (moment?.run ?? null) : null;
  const step = moment && session.folder.stepAt(moment);
  const deadlineMs = step && typeof step !== 'string' ? step.fold.deadlineMs : null;
  const { scale, deadline } = overviewScale(history, run, deadlineMs, widthPx);
  const lanePx = HEIGHT_PX / Math.max(1, streams.length);
  const seen = new Set(streams.flatMap(({ segments }) => segments.map(({ phase }) => phase)));

  const onClick = (event: MouseEvent) => {
    const { left, top } = (event.currentTarget as Element).getBoundingClientRect();
    const stream = streams[Math.floor((event.clientY - top) / lanePx)] ?? streams[0];
    const found = stream && nearest(stream.items, timeAt(event.clientX - left, scale));
    if (found) session.select(found.index);
  };

  return (
    <section class="overview" aria-label="Time">
      <div class="overview-head">
        <span>
          {dateOf(scale.fromMs)} {timeOfDay(scale.fromMs)}
          <span class="muted"> · {duration(scale.toMs - scale.fromMs)}</span>
        </span>
        {canNarrow && (
          <button
            type="button"
            class="small"
            aria-pressed={isWide}
            onClick={() => setWide(!isWide)}
          >
            All runs
          </button>
        )}
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
          height={HEIGHT_PX}
          role="img"
          aria-label="Phases over time"
          onClick={onClick}
        >
          {streams.map((stream, lane) => (
            <Lane
              key={stream.key}
              stream={stream}
              y={lane * lanePx}
              height={lanePx}
              scale={scale}
            />
          ))}
          {deadline && !deadline.isBeyond && (
            <path class="deadline" d={`M${xOf(deadline.atMs, scale) - 1} 0V${HEIGHT_PX}`} />
          )}
          {moment && (
            <path
              class="cursor"
              d={`M${Math.min(widthPx - 1, Math.max(1, xOf(moment.atMs, scale)))} 0V${HEIGHT_PX}`}
            />
          )}
        </svg>
      </div>
    </section>
  );
}

function Deadline({ atMs, nowMs }: { atMs: number; nowMs: number }) {
  return (
    <span class="deadline-word" title={dateOf(atMs)}>
      ┊ deadline {timeOfDay(atMs).slice(0, 8)} <span class="muted">({distance(atMs - nowMs)})</span>
    </span>
  );
}

function Lane({
  stream,
  y,
  height,
  scale,
}: {
  stream: Stream;
  y: number;
  height: number;
  scale: Parameters<typeof barsOf>[1];
}) {
  const gap = height > 8 ? 1 : 0;
  return (
    <g>
      {barsOf(stream, scale).map(({ phase, x, width, beginMs, endMs }) => (
        <g key={x}>
          <rect x={x} y={y} width={width} height={height - gap} fill={`url(#phase-${phase})`}>
            <title>{`${stream.node}: ${phase}, ${duration(endMs - beginMs)}`}</title>
          </rect>
          {width > LABEL_MIN_PX + phase.length * 3 && height > 14 && (
            <text class="bar-word" x={x + 6} y={y + height / 2 + 4}>
              {phase}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}
