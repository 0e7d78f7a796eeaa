import { type Axis, xOf } from './axis.ts';
import { isRefusedAt, recordAt } from './bars.ts';
import type { Item } from './history.ts';
import { holdAt, type LockGroup } from './lock-band.ts';
import { LockBandRow } from './lock-band-row.tsx';
import { Cursor } from './overview.tsx';
import type { Session } from './session.ts';
import { PHASES, type Phase, phaseOf } from './states.ts';
import { Breaks, Ticks } from './time-marks.tsx';
import { duration } from './words.ts';

export const GROUP_HEAD_PX = 82;
const BAND_PX = 20;
const TICKS_PX = 15;

/** The lock of some nodes: who held it when, and how many of them are in which phase at the moment. */
export function GroupHead({
  session: { item },
  group,
  axis,
  words,
}: {
  session: Session;
  group: LockGroup;
  axis: Axis;
  words: string;
}) {
  const { holds, streams, lock } = group;
  const hasBand = lock !== '';
  const holders = new Map(streams.map(({ node }, index) => [node, index % 6]));
  const hold = item && holdAt(holds, item.atMs);
  const holdWords = hold
    ? `held by ${hold.holder}, for ${duration(item.atMs - hold.fromMs)}`
    : 'free';
  const counts = item ? countsOf(group, item) : '';
  return (
    <div class="fleet-head">
      <p title={words}>
        <b>{words}</b>
        {hasBand && item ? ` · ${holdWords}` : ''}
      </p>
      <p class="muted counts" title={counts}>
        {counts}
      </p>
      <div class="fleet-band">
        <span>{hasBand ? 'lock' : ''}</span>
        <svg
          width={axis.widthPx}
          height={BAND_PX + TICKS_PX}
          role="img"
          aria-label={hasBand ? `Who held the ${words} over time` : 'Time'}
        >
          {hasBand && (
            <LockBandRow
              holds={holds}
              axis={axis}
              heightPx={BAND_PX}
              toneOf={(holder) => holders.get(holder) ?? 0}
            />
          )}
          <Breaks axis={axis} heightPx={BAND_PX} labelY={BAND_PX / 2 + 4} />
          <Ticks axis={axis} y={BAND_PX} />
          <Cursor x={item ? xOf(item.atMs, axis) : -1} axis={axis} heightPx={BAND_PX} />
        </svg>
      </div>
    </div>
  );
}

/** `2 draining, 998 waiting`. */
function countsOf({ streams }: LockGroup, item: Item): string {
  const counts = new Map<Phase | 'refused' | 'nothing yet', number>();
  for (const stream of streams) {
    const record = recordAt(stream, item.index);
    const phase = isRefusedAt(stream, item.index)
      ? 'refused'
      : record
        ? phaseOf(record.row.record.state)
        : 'nothing yet';
    counts.set(phase, (counts.get(phase) ?? 0) + 1);
  }
  const words = ([...PHASES, 'refused', 'nothing yet'] as const).flatMap((phase) => {
    const count = counts.get(phase);
    return count === undefined ? [] : [`${count.toLocaleString('en')} ${phase}`];
  });
  return `at this moment: ${words.join(', ')}`;
}
