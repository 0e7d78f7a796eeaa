import { useMemo } from 'preact/hooks';
import { barsOf, type Scale, timeAt, xOf } from './bars.ts';
import { FleetTable } from './fleet-table.tsx';
import type { RecordItem, Stream } from './history.ts';
import { type Hold, LockBand } from './lock-band.ts';
import { nearest, overviewScale } from './overview-scale.ts';
import type { Session } from './session.ts';
import { useWidth } from './use-width.ts';
import { duration } from './words.ts';

const LANE_PX = 22;

/** All nodes on one axis of time, with the lock's holders above them. */
export function Fleet({ session }: { session: Session }) {
  const [frame, widthPx] = useWidth();
  const { history, item } = session;
  const band = useMemo(() => new LockBand(history), [history]);
  const holds = band.extend();
  const streams = [...history.streams.values()];
  const holders = streams.map(({ node }) => node);
  const { scale } = overviewScale(history, null, null, widthPx);
  const toneOf = (holder: string) => Math.max(0, holders.indexOf(holder)) % 6;
  const cursor = item && Math.min(widthPx - 1, Math.max(1, xOf(item.atMs, scale)));
  return (
    <div class="pane fleet">
      <div class="fleet-lanes">
        <div class="fleet-names">
          <b>lock</b>
          {streams.map(({ key, node }) => (
            <span key={key} title={node}>
              {node}
            </span>
          ))}
        </div>
        <div class="overview-frame" ref={frame}>
          <svg
            width={widthPx}
            height={(streams.length + 1) * LANE_PX}
            role="img"
            aria-label="Who held the lock, and the phases of all nodes over time"
          >
            <LockRow holds={holds} scale={scale} toneOf={toneOf} />
            {streams.map((stream, lane) => (
              <FleetLane
                key={stream.key}
                stream={stream}
                y={(lane + 1) * LANE_PX}
                scale={scale}
                onSelect={(record) => session.select(record.index)}
              />
            ))}
            {cursor !== null && (
              <path class="cursor" d={`M${cursor} 0V${(streams.length + 1) * LANE_PX}`} />
            )}
          </svg>
        </div>
      </div>
      <FleetTable session={session} holds={holds} />
    </div>
  );
}

function LockRow({
  holds,
  scale,
  toneOf,
}: {
  holds: readonly Hold[];
  scale: Scale;
  toneOf: (holder: string) => number;
}) {
  return (
    <g>
      <rect class="band-free" x="0" y="2" width={scale.widthPx} height={LANE_PX - 4} />
      {holds.map(({ holder, fromMs, toMs }) => {
        const x = xOf(fromMs, scale);
        const width = Math.max(1, xOf(toMs, scale) - x);
        return (
          <g key={fromMs}>
            <rect
              class={`band band-${toneOf(holder)}`}
              x={x}
              y="2"
              width={width}
              height={LANE_PX - 4}
            >
              <title>{`${holder} held the lock for ${duration(toMs - fromMs)}`}</title>
            </rect>
            {width > holder.length * 7 + 10 && (
              <text class="band-word" x={x + 5} y={LANE_PX / 2 + 4}>
                {holder}
              </text>
            )}
          </g>
        );
      })}
    </g>
  );
}

function FleetLane({
  stream,
  y,
  scale,
  onSelect,
}: {
  stream: Stream;
  y: number;
  scale: Scale;
  onSelect: (record: RecordItem) => void;
}) {
  const onClick = (event: MouseEvent) => {
    const left = (event.currentTarget as Element).closest('svg')?.getBoundingClientRect().left ?? 0;
    const found = nearest(stream.items, timeAt(event.clientX - left, scale));
    if (found) onSelect(found);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the table below and the timeline take the keys
    <g onClick={onClick}>
      {barsOf(stream, scale).map(({ phase, x, width, beginMs, endMs }) => (
        <g key={x}>
          <rect x={x} y={y + 2} width={width} height={LANE_PX - 4} fill={`url(#phase-${phase})`}>
            <title>{`${stream.node}: ${phase}, ${duration(endMs - beginMs)}`}</title>
          </rect>
          {width > phase.length * 7 + 12 && (
            <text class="bar-word" x={x + 5} y={y + LANE_PX / 2 + 4}>
              {phase}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}
