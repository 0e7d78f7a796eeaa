import { type Item, labelOf, stateBefore, stateOf, typeOf } from './history.ts';
import { originOf } from './origin.ts';
import { OriginMark } from './parts.tsx';
import type { Session } from './session.ts';
import { dateOf, timeOfDay } from './words.ts';

/** The selected moment in one line, and the way to others. */
export function MomentBar({ session }: { session: Session }) {
  const { item } = session;
  const place = session.placeOf(session.selected);
  const isFirst = place <= 0;
  const isLast = place >= session.shownCount - 1;
  return (
    <div class="moment-bar">
      <fieldset class="moment-steps" aria-label="Steps">
        <StepButton label="First event" sign="⇤" isOff={isFirst} onClick={() => session.first()} />
        <StepButton
          label="Event before"
          sign="←"
          isOff={isFirst}
          onClick={() => session.step(-1)}
        />
        <button
          type="button"
          aria-label={session.isPlaying ? 'Stop playing' : 'Play through the history'}
          onClick={() => session.play(!session.isPlaying)}
        >
          {session.isPlaying ? '❚❚' : '▶'}
        </button>
        <StepButton label="Next event" sign="→" isOff={isLast} onClick={() => session.step(1)} />
        <StepButton label="Last event" sign="⇥" isOff={isLast} onClick={() => session.last()} />
      </fieldset>
      {item && <Moment item={item} />}
      <button
        type="button"
        class="follow"
        aria-pressed={session.isFollowing}
        onClick={() => session.follow(!session.isFollowing)}
      >
        {session.isFollowing ? 'Following' : 'Follow newest'}
      </button>
      <p class="visually-hidden" role="status" aria-live="polite">
        {item && !session.isPlaying && !isStreaming(session) ? spoken(item) : ''}
      </p>
    </div>
  );
}

function StepButton({
  label,
  sign,
  isOff,
  onClick,
}: {
  label: string;
  sign: string;
  isOff: boolean;
  onClick: () => void;
}) {
  return (
    // aria-disabled: a button that is gone at the end would lose the focus.
    <button type="button" aria-label={label} title={label} aria-disabled={isOff} onClick={onClick}>
      {sign}
    </button>
  );
}

function Moment({ item }: { item: Item }) {
  const { row } = item;
  const [from, to] = [stateBefore(item), stateOf(item)];
  return (
    <div class="moment">
      <span class="moment-event">
        {row.kind === 'record' && <OriginMark origin={originOf(typeOf(item))} />}
        <b>{labelOf(item)}</b>
        <span class="moment-where">
          {row.kind === 'record' ? `#${row.record.seq} · ` : ''}
          {item.node}
          {' · '}
          <time>{`${dateOf(item.atMs)} ${timeOfDay(item.atMs)} UTC`}</time>
        </span>
      </span>
      <span class="moment-states">
        {from === to ? to : `${from} → `}
        {from !== to && <b>{to}</b>}
      </span>
    </div>
  );
}

/** Live events are not read out one by one. */
function isStreaming({ isFollowing, connection }: Session): boolean {
  return isFollowing && connection === 'open';
}

function spoken(item: Item): string {
  const [from, to] = [stateBefore(item), stateOf(item)];
  const moved = from === to ? `stays in ${to}` : `from ${from} to ${to}`;
  return `${labelOf(item)}, ${item.node}, ${timeOfDay(item.atMs)}, ${moved}`;
}
