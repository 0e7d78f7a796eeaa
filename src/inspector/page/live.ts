import type { Source } from '../rows.ts';
import { Feed } from './feed.ts';
import type { Session } from './session.ts';

/** Brings the server's rows into the session, for as long as the page is open. */
export class Live {
  readonly #session: Session;
  readonly #feed: Feed;
  /** Grows with each choice of what is shown: the newest wins. */
  #choices = 0;

  constructor(session: Session, source: Source) {
    this.#session = session;
    session.update({ source });
    this.#feed = new Feed(source.token, {
      rows: (rows) => session.append(rows),
      opened: () => session.update({ connection: 'open' }),
      lost: () => session.update({ connection: 'lost' }),
      ended: () => session.update({ connection: 'ended' }),
      restarted: () => this.restart(),
    });
    this.#feed.start();
  }

  /** Dropped files take the place of what the server sends. */
  stop(): void {
    this.#choices += 1;
    this.#feed.stop();
  }

  /** Takes all again. */
  restart(): void {
    this.stop();
    this.#session.clear();
    this.#session.update({ connection: 'connecting' });
    this.#ask(this.#choices);
  }

  /** Until the server answers, or the person has chosen something else. */
  #ask(choice: number): void {
    const ifWanted = (action: () => void) => () => {
      if (this.#choices === choice) action();
    };
    fetchSource().then(
      (source) =>
        ifWanted(() => {
          this.#session.update({ source });
          this.#feed.restart(source.token);
        })(),
      ifWanted(() => {
        this.#session.update({ connection: 'lost' });
        setTimeout(
          ifWanted(() => this.#ask(choice)),
          1_000,
        );
      }),
    );
  }
}

export async function fetchSource(): Promise<Source> {
  return fetchJson<Source>('/source.json');
}

export async function fetchJson<Value>(path: string): Promise<Value> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: the server answered ${response.status}`);
  return (await response.json()) as Value;
}

/** Tells a rehearsal what to do. */
export async function control(session: Session, action: 'pause' | 'play' | 'step'): Promise<void> {
  try {
    const response = await fetch('/control', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ do: action }),
    });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    session.update({ source: await fetchSource(), notice: '' });
  } catch (error) {
    session.update({
      notice: `The rehearsal could not be told to ${action}: ${(error as Error).message}`,
    });
  }
}
