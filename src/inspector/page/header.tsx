import { useRef } from 'preact/hooks';
import type { Source } from '../rows.ts';
import { control } from './live.ts';
import type { Connection, Session } from './session.ts';

const CONNECTIONS: Record<Connection, [string, string]> = {
  connecting: ['◌', 'connecting…'],
  open: ['●', 'live'],
  lost: ['✕', 'connection lost, trying again…'],
  ended: ['■', 'complete'],
  files: ['▤', 'opened here'],
};

export interface HeaderActions {
  open(files: FileList): void;
  back(): void;
  download(): void;
  theme(): void;
  help(): void;
}

export function Header({ session, actions }: { session: Session; actions: HeaderActions }) {
  const { source, connection, reading } = session;
  const chooser = useRef<HTMLInputElement>(null);
  const [sign, words] = reading === '' ? CONNECTIONS[connection] : ['◌', reading];
  const isPaced = source?.isPaced === true && (connection === 'open' || connection === 'lost');
  return (
    <header class="header">
      <h1>
        host-upgrades <span class="muted">inspector</span>
      </h1>
      <span class="title" title={source?.title}>
        {source?.title}
      </span>
      <span class={`connection connection-${connection}`} role="status">
        <span aria-hidden="true">{sign}</span> {words}
      </span>
      {source && isPaced && <Pace session={session} source={source} />}
      <span class="header-actions">
        {connection === 'files' && (
          <button type="button" onClick={actions.back}>
            Back
          </button>
        )}
        <button type="button" onClick={() => chooser.current?.click()}>
          Open…
        </button>
        <input
          class="visually-hidden"
          ref={chooser}
          type="file"
          multiple
          tabIndex={-1}
          aria-label="Journals or logs to open"
          onChange={({ currentTarget }) => {
            if (currentTarget.files?.length) actions.open(currentTarget.files);
            currentTarget.value = '';
          }}
        />
        <button
          type="button"
          onClick={actions.download}
          disabled={session.history.streams.size === 0}
        >
          Download…
        </button>
        <button
          type="button"
          onClick={actions.theme}
          aria-label="Light or dark"
          title="Light or dark"
        >
          ◐
        </button>
        <button type="button" onClick={actions.help} aria-label="Help" title="Help (?)">
          ?
        </button>
      </span>
    </header>
  );
}

function Pace({ session, source }: { session: Session; source: Source }) {
  const { isPaused, speed } = source;
  return (
    <fieldset class="pace" aria-label="Rehearsal" title={speedWords(speed)}>
      <button type="button" onClick={() => control(session, isPaused ? 'play' : 'pause')}>
        {isPaused ? '▶ Play rehearsal' : '❚❚ Pause rehearsal'}
      </button>
      <button type="button" disabled={!isPaused} onClick={() => control(session, 'step')}>
        Step
      </button>
    </fieldset>
  );
}

function speedWords(speed: number | undefined): string | undefined {
  if (speed === undefined) return undefined;
  return speed === 0 ? 'As fast as possible' : `${speed} times as fast as real time`;
}
