import type { Pacing, Row, Source } from '../rows.ts';
import { inSlices, type Turns } from '../slices.ts';
import { Feed } from './feed.ts';
import { openFiles } from './files.ts';
import type { Session } from './session.ts';

/** How many rows of opened files are taken in at once. */
const ROWS_AT_ONCE = 500;

const REPLACED =
  'The history was replaced: the program was started again, or has let go of its oldest events. Filter and selection are set back.';
const NOT_TOLD = 'The rehearsal could not be told to';

/** Somebody has chosen something else meanwhile. */
class Superseded extends Error {}

/** Brings the server's rows into the session, for as long as the page is open, or those of files. */
export class Live {
  readonly #session: Session;
  readonly #feed: Feed;
  /** Grows with each choice of what is shown: the newest wins. */
  #choices = 0;
  /** Grows each time that files are opened or left. */
  #openings = 0;

  constructor(session: Session, source: Source) {
    this.#session = session;
    session.update({ source });
    this.#feed = new Feed(source.token, {
      rows: (rows) => {
        session.reading = '';
        session.append(rows);
      },
      opened: () => session.update({ connection: 'open', notice: withoutFault(session) }),
      lost: () => session.update({ connection: 'lost', reading: '' }),
      ended: () => session.update({ connection: 'ended', reading: '' }),
      progress: (reading) => session.update({ reading }),
      paced: (pacing) => pace(session, pacing),
      restarted: () => {
        const isShown = session.history.items.length > 0;
        this.restart();
        if (isShown) session.update({ notice: REPLACED });
      },
    });
    this.#feed.start();
  }

  /** Dropped files take the place of what the server sends. */
  stop(): void {
    this.#choices += 1;
    this.#feed.stop();
  }

  /** Shows files as soon as they are read; what is shown stays until then, or if they cannot be. */
  async open(files: readonly Pick<File, 'name' | 'text'>[]): Promise<void> {
    this.#openings += 1;
    const session = this.#session;
    try {
      const turns = this.#turns(this.#openings);
      const read = files.map(async (file) => ({ name: file.name, text: await file.text() }));
      const texts = await Promise.all(read);
      await turns.pause();
      const opened = await openFiles(texts, turns, (reading) => session.update({ reading }));
      this.stop();
      session.open({ ...opened, rows: [] });
      await inSlices(appending(session, opened.rows), turns);
    } catch (error) {
      if (error instanceof Superseded) return;
      session.update({ notice: (error as Error).message, reading: '' });
    }
  }

  /** From the files to what the server sends. */
  back(): void {
    this.#openings += 1;
    this.restart();
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

  /** The page is drawn and takes input in between, until other files are opened. */
  #turns(opening: number): Turns {
    return {
      nowMs: () => performance.now(),
      pause: async () => {
        await new Promise((resolve) => setTimeout(resolve));
        if (this.#openings !== opening) throw new Superseded();
      },
    };
  }
}

function* appending(session: Session, rows: readonly Row[]): Generator<void, void> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    session.append(rows.slice(at, at + ROWS_AT_ONCE));
    yield;
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

/** Tells a rehearsal what to do; that it does comes with the events, to every page. */
export async function control(session: Session, action: 'pause' | 'play' | 'step'): Promise<void> {
  try {
    const response = await fetch('/control', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ do: action }),
    });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    session.update({ notice: withoutFault(session) });
  } catch (error) {
    session.update({ notice: `${NOT_TOLD} ${action}: ${(error as Error).message}` });
  }
}

function pace(session: Session, { state, speed }: Pacing): void {
  if (session.source === null) return;
  const source = {
    ...session.source,
    isPaced: state !== 'over',
    isPaused: state === 'paused',
    speed,
  };
  session.update({ source, notice: withoutFault(session) });
}

/** That it could not be told is no news any more once the server is heard. */
function withoutFault({ notice }: Session): string {
  return notice.startsWith(NOT_TOLD) ? '' : notice;
}
