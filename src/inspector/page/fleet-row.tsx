import { type Axis, timeAt, xOf } from './axis.ts';
import { isRefusedAt, nearest, recordAt } from './bars.ts';
import type { Stream } from './history.ts';
import type { LockBands } from './lock-band.ts';
import { Bars, Cursor } from './overview.tsx';
import { Dotted } from './parts.tsx';
import type { Session } from './session.ts';
import { Breaks } from './time-marks.tsx';
import { waitingWords } from './waiting.ts';

export const ROW_PX = 42;
const LANE_PX = 18;
const LABEL_PX = 42;

/** A node: its phases over time, and where it is at the moment. */
export function FleetRow({
  session,
  stream,
  place,
  count,
  axis,
  bands,
  isSelected,
}: {
  session: Session;
  stream: Stream;
  place: number;
  count: number;
  axis: Axis;
  bands: LockBands;
  isSelected: boolean;
}) {
  const { item } = session;
  const record = item && recordAt(stream, item.index);
  const isRefused = item !== null && isRefusedAt(stream, item.index);
  const onClick = (event: MouseEvent) => {
    const { left } = (event.currentTarget as Element).getBoundingClientRect();
    const found = nearest(stream.items, timeAt(event.clientX - left, axis));
    if (found) session.select(found.index);
  };
  return (
    <li
      class={isSelected ? 'fleet-row now' : 'fleet-row'}
      aria-setsize={count}
      aria-posinset={place + 1}
      style={{ top: `${place * ROW_PX}px` }}
    >
      {record ? (
        <button
          type="button"
          class="link"
          title={stream.node}
          aria-current={isSelected ? 'true' : undefined}
          onClick={() => session.select(record.index)}
        >
          {stream.node}
        </button>
      ) : (
        <span class="name" title={stream.node}>
          {stream.node}
        </span>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys step through the same events */}
      <svg
        width={axis.widthPx}
        height={LANE_PX}
        role="img"
        aria-label={`Phases of ${stream.node} over time`}
        onClick={onClick}
      >
        <rect class="ground" width={axis.widthPx} height={LANE_PX} />
        <Bars stream={stream} y={0} height={LANE_PX} axis={axis} labelPx={LABEL_PX} />
        <Breaks axis={axis} heightPx={LANE_PX} />
        <Cursor x={item ? xOf(item.atMs, axis) : -1} axis={axis} heightPx={LANE_PX} />
      </svg>
      <span class="fleet-now">
        {record ? (
          <>
            <Dotted name={record.row.record.state} />
            {' · '}
            {isRefused ? '✕ refused from here on' : waitingWords(record, bands.holdsOf(record))}
          </>
        ) : (
          'nothing yet'
        )}
      </span>
    </li>
  );
}
