import { useLayoutEffect, useRef } from 'preact/hooks';
import { type RecordItem, typeOf } from './history.ts';
import { originOf } from './origin.ts';
import { OriginMark } from './parts.tsx';
import { type Message, messagesOf } from './sequence.ts';
import type { Session } from './session.ts';
import { duration, plural, timeOfDay } from './words.ts';

/** Records on each side of the moment that are drawn. */
const AROUND = 150;
/** A wait that is worth a word. */
const WAIT_MIN_MS = 1_000;

/** API server, agent and host as lanes, for the run at the moment. */
export function Sequence({ session }: { session: Session }) {
  const { moment } = session;
  const list = useMoment(moment);
  if (moment === null) return <p class="empty">No event is selected.</p>;
  const { run, stream, position } = moment;
  const begin = Math.max(run?.begin ?? 0, position - AROUND);
  const end = Math.min(run?.end ?? position, position + AROUND);
  const messages = messagesOf(stream.items.slice(begin, end + 1), session.machine.states);
  const hidden = begin - (run?.begin ?? 0) + (run?.end ?? position) - end;
  return (
    <div class="pane sequence">
      <p class="muted">
        {stream.node}, run {run?.id ?? '?'}
        {hidden > 0 ? `; ${plural(hidden, 'record')} further away not drawn` : ''}
      </p>
      <div class="lanes-head" aria-hidden="true">
        <span />
        <b>API server</b>
        <b>agent</b>
        <b>host</b>
      </div>
      <ol class="lanes" ref={list} aria-label="Requests and answers">
        {messages.map((message, index) => (
          <MessageRow
            key={`${message.item.index} ${message.isRequest} ${message.text}`}
            message={message}
            before={messages[index - 1]}
            moment={position}
            onSelect={() => session.select(message.item.index)}
          />
        ))}
      </ol>
    </div>
  );
}

/** Keeps what the moment is about in sight. */
function useMoment(moment: RecordItem | null) {
  const list = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => {
    list.current?.querySelector('.now')?.scrollIntoView({ block: 'nearest' });
  }, [moment]);
  return list;
}

function MessageRow({
  message,
  before,
  moment,
  onSelect,
}: {
  message: Message;
  before: Message | undefined;
  moment: number;
  onSelect: () => void;
}) {
  const { item, peer, isRequest, text, waitMs, count, from } = message;
  const isNow = from <= moment && moment <= item.position;
  const isLater = from > moment;
  const quietMs = before ? item.atMs - before.item.atMs : 0;
  const arrow = peer === 'self' ? 'self' : isRequest ? 'request' : 'answer';
  return (
    <li class={`message ${isNow ? 'now' : ''} ${isLater ? 'later' : ''}`}>
      {quietMs >= WAIT_MIN_MS && <span class="quiet">{duration(quietMs)} pass</span>}
      <button type="button" onClick={onSelect} aria-current={isNow ? 'true' : undefined}>
        <time>{timeOfDay(item.atMs)}</time>
        <span class={`lane lane-${peer} ${arrow}`}>
          {peer !== 'self' && (
            <i class={isRequest === (peer === 'host') ? 'to-right' : 'to-left'} />
          )}
          <span class="visually-hidden">
            {peer === 'self' ? 'agent: ' : isRequest ? `agent to ${peer}: ` : `${peer} to agent: `}
          </span>
          <span class="message-text">
            {peer === 'self' && <OriginMark origin={originOf(typeOf(item))} />} {text}
            {count > 1 && <b> ×{count}</b>}
            {waitMs !== null && !isRequest && (
              <span class="muted"> · after {duration(waitMs)}</span>
            )}
          </span>
        </span>
      </button>
    </li>
  );
}
