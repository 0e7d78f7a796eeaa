import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Item, labelOf, stateBefore, stateOf, typeOf } from './history.ts';
import { originOf } from './origin.ts';
import { OriginMark } from './parts.tsx';
import type { Session } from './session.ts';
import { phaseOf } from './states.ts';
import { dateOf, timeOfDay } from './words.ts';

const ROW_PX = 56;
/** Rows that are drawn beyond what is seen, at each end. */
const SPARE_ROWS = 6;

/** All rows that pass the filter; only those that are seen are drawn. */
export function Timeline({ session }: { session: Session }) {
  const list = useRef<HTMLDivElement>(null);
  const [{ top, height }, setSeen] = useState({ top: 0, height: 600 });
  const count = session.shownCount;
  const place = session.placeOf(session.selected);

  useEffect(() => {
    const element = list.current;
    if (!element) return;
    const observer = new ResizeObserver(() =>
      setSeen((seen) => ({ ...seen, height: element.clientHeight })),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // The selected row is kept in sight, also when rows come or go around it.
  useLayoutEffect(() => {
    const element = list.current;
    if (!element || session.selected < 0) return;
    const y = place * ROW_PX;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + ROW_PX > element.scrollTop + element.clientHeight) {
      element.scrollTop = y + ROW_PX - element.clientHeight;
    }
  }, [session, session.selected, place, height]);

  const first = Math.max(0, Math.floor(top / ROW_PX) - SPARE_ROWS);
  const last = Math.min(count, Math.ceil((top + height) / ROW_PX) + SPARE_ROWS);
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
  const hasNodes = session.history.nodes.length > 1;
  const isSeen = place >= first && place < last && session.shownAt(place) === session.selected;

  return (
    <div
      class="timeline-list"
      role="listbox"
      aria-label={`Events, ${count} shown`}
      tabIndex={0}
      aria-activedescendant={isSeen ? `row-${session.selected}` : undefined}
      ref={list}
      onScroll={({ currentTarget }) =>
        setSeen({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })
      }
      // Whoever looks back does not want to be taken to the newest row again.
      onWheel={({ deltaY }) => deltaY < 0 && session.isFollowing && session.follow(false)}
      onTouchMove={() => session.isFollowing && session.follow(false)}
      onKeyDown={(event) => {
        const page = Math.max(1, Math.floor(height / ROW_PX) - 1);
        const by = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        session.step(by);
      }}
    >
      <div class="timeline-all" role="presentation" style={{ height: `${count * ROW_PX}px` }}>
        {rows.map((at) => {
          const item = session.history.items[session.shownAt(at)];
          return (
            item && (
              <TimelineRow
                key={item.index}
                session={session}
                item={item}
                place={at}
                count={count}
                hasNodes={hasNodes}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

function TimelineRow({
  session,
  item,
  place,
  count,
  hasNodes,
}: {
  session: Session;
  item: Item;
  place: number;
  count: number;
  hasNodes: boolean;
}) {
  const isSelected = item.index === session.selected;
  const { row } = item;
  const isNewDay =
    item.index === 0 ||
    dateOf(item.atMs) !== dateOf(session.history.items[item.index - 1]?.atMs ?? item.atMs);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list around it takes the keys
    <div
      id={`row-${item.index}`}
      class={`row row-${row.kind}`}
      role="option"
      tabIndex={-1}
      aria-selected={isSelected}
      aria-setsize={count}
      aria-posinset={place + 1}
      style={{ top: `${place * ROW_PX}px` }}
      onClick={() => session.select(item.index)}
    >
      <span class="row-head">
        <span class="seq">{row.kind === 'record' ? row.record.seq : '·'}</span>
        <time title={dateOf(item.atMs)}>
          {isNewDay && <span class="day">{dateOf(item.atMs).slice(5)} </span>}
          {timeOfDay(item.atMs)}
        </time>
        {row.kind === 'record' && <OriginMark origin={originOf(typeOf(item))} />}
        <span class="type">{labelOf(item)}</span>
        {hasNodes && <span class="node">{item.node}</span>}
      </span>
      <RowBody session={session} item={item} />
    </div>
  );
}

function RowBody({ session, item }: { session: Session; item: Item }) {
  const { row } = item;
  if (row.kind === 'note') return <span class="row-body note">{row.text}</span>;
  if (row.kind === 'divergence') {
    return (
      <span class="row-body broken">{`✕ line ${row.line}: in ${row.state}: ${row.message}`}</span>
    );
  }
  const [from, to] = [stateBefore(item), stateOf(item)];
  const lines = session.linesOf(item);
  return (
    <>
      <span class="row-body move">
        <span class={`dot dot-${phaseOf(to)}`} aria-hidden="true" />
        {from === to ? <span class="stays">{to}</span> : `${from} → `}
        {from !== to && <b>{to}</b>}
      </span>
      <span class="row-body lines" title={lines.join('\n')}>
        {lines.join(' ⏎ ')}
      </span>
    </>
  );
}
