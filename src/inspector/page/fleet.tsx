import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { GROUP_HEAD_PX, GroupHead } from './fleet-group.tsx';
import { FleetRow, ROW_PX } from './fleet-row.tsx';
import { LockBands, type LockGroup } from './lock-band.ts';
import type { Session } from './session.ts';
import type { ShownTime } from './shown-time.ts';
import { type Seen, useScroll } from './use-scroll.ts';
import { useTimeDrag } from './use-time.ts';
import { plural } from './words.ts';

/** Rows that are drawn beyond what is seen, at each end. */
const SPARE_ROWS = 4;
/** Below, names have less room. */
const NARROW_PX = 500;

/** All nodes on one axis of time, by the lock that they share, with its holders above them. */
export function Fleet({ session, time }: { session: Session; time: ShownTime }) {
  const { history, item } = session;
  const [wanted, setWanted] = useState('');
  const bands = useMemo(() => new LockBands(history), [history]);
  const groups = bands.groups();
  const shown = placed(groups, wanted.trim().toLowerCase());
  const count = shown.reduce((sum, { streams }) => sum + streams.length, 0);

  const list = useRef<HTMLDivElement>(null);
  const [seen, look] = useScroll(list);
  const namesPx = seen.width < NARROW_PX ? 92 : 150;
  const axis = time.axis(Math.max(0, seen.width - namesPx));
  const pointer = useTimeDrag(list, time, axis, namesPx);
  useSelected(session, shown, seen, list);

  return (
    <div class="fleet">
      <div class="fleet-tools">
        <input
          type="search"
          aria-label="Find nodes"
          placeholder="Find nodes"
          value={wanted}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
        <span class="count-nodes" role="status">
          {count === history.streams.size
            ? plural(count, 'node')
            : `${count.toLocaleString('en')} of ${plural(history.streams.size, 'node')}`}
        </span>
      </div>
      <div
        class="fleet-list"
        style={{ '--names': `${namesPx}px` }}
        ref={list}
        onScroll={look}
        onPointerDown={pointer.onPointerDown}
        onPointerMove={pointer.onPointerMove}
        onClickCapture={pointer.onClickCapture}
      >
        {shown.map(({ group, streams, y }) => (
          <section key={group.lock} class="fleet-group" aria-label={lockWords(group)}>
            <GroupHead session={session} group={group} axis={axis} words={lockWords(group)} />
            <ul style={{ height: `${streams.length * ROW_PX}px` }}>
              {rowsInSight(y, streams.length, seen).map((place) => {
                const stream = streams[place];
                return (
                  stream && (
                    <FleetRow
                      key={stream.key}
                      session={session}
                      stream={stream}
                      place={place}
                      count={streams.length}
                      axis={axis}
                      bands={bands}
                      isSelected={stream === item?.stream}
                    />
                  )
                );
              })}
            </ul>
          </section>
        ))}
      </div>
    </div>
  );
}

interface Placed {
  group: LockGroup;
  streams: LockGroup['streams'];
  /** Where its rows begin in the whole list, in px. */
  y: number;
}

/** The groups with those nodes whose name has `wanted` in it. */
function placed(groups: readonly LockGroup[], wanted: string): Placed[] {
  let y = 0;
  return groups.flatMap((group) => {
    const streams =
      wanted === ''
        ? group.streams
        : group.streams.filter(({ node }) => node.toLowerCase().includes(wanted));
    if (streams.length === 0) return [];
    const one = { group, streams, y: y + GROUP_HEAD_PX };
    y += GROUP_HEAD_PX + streams.length * ROW_PX;
    return [one];
  });
}

function rowsInSight(y: number, count: number, { top, height }: Seen): number[] {
  const first = Math.max(0, Math.floor((top - y) / ROW_PX) - SPARE_ROWS);
  const last = Math.min(count, Math.ceil((top + height - y) / ROW_PX) + SPARE_ROWS);
  return Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
}

function lockWords({ lock }: LockGroup): string {
  if (lock === '') return 'without Kubernetes: no lock';
  return lock === '?' ? 'lock not known: runs that began before this history' : `lock ${lock}`;
}

/** Keeps the node of the selected event in sight. */
function useSelected(
  { item }: Session,
  shown: readonly Placed[],
  { height }: Seen,
  list: RefObject<HTMLElement | null>,
): void {
  const stream = item?.stream;
  const at = shown.find(({ streams }) => stream && streams.includes(stream));
  const y = at && stream ? at.y + at.streams.indexOf(stream) * ROW_PX : -1;
  useLayoutEffect(() => {
    const { current } = list;
    if (!current || y < 0 || height === 0) return;
    if (y - GROUP_HEAD_PX < current.scrollTop) current.scrollTop = y - GROUP_HEAD_PX;
    else if (y + ROW_PX > current.scrollTop + height) current.scrollTop = y + ROW_PX - height;
  }, [y, height]);
}
