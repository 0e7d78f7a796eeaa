import type { Pacing, Row } from '../rows.ts';
import { openStream } from './stream.ts';

export interface FeedListener {
  rows(rows: Row[]): void;
  opened(): void;
  lost(): void;
  ended(): void;
  /** How far what is shown is read, in words. */
  progress(text: string): void;
  /** How a rehearsal goes on from now on. */
  paced(pacing: Pacing): void;
  /** The server is another one than before: what it sent before does not count any more. */
  restarted(): void;
}

/** What a stream of server-sent events is to the feed. */
export interface Stream {
  addEventListener(type: string, listener: (event: Event) => void): void;
  close(): void;
}

const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 5_000;
/** Who has no lasting stream looks again after so long. */
const AGAIN_MS = 1_000;

/**
 * All rows, once each and in order, however often the connection breaks. The number of the last row
 * taken is what a new connection goes on behind.
 */
export class Feed {
  readonly #listener: FeedListener;
  readonly #open: (url: string) => Stream;
  readonly #later: (action: () => void, delayMs: number) => void;
  #stream: Stream | null = null;
  #token: string;
  #last = 0;
  #retryMs = RETRY_FIRST_MS;
  /** Grows with each stop: what was to come later is then not wanted any more. */
  #stops = 0;

  constructor(
    token: string,
    listener: FeedListener,
    open: (url: string) => Stream = openStream,
    later: (action: () => void, delayMs: number) => void = (action, delayMs) =>
      void setTimeout(action, delayMs),
  ) {
    this.#token = token;
    this.#listener = listener;
    this.#open = open;
    this.#later = later;
  }

  start(): void {
    const url = `/events?after=${this.#last}&source=${encodeURIComponent(this.#token)}`;
    const stream = this.#open(url);
    this.#stream = stream;
    // A stream that was replaced has nothing to say any more.
    const on = (type: string, action: (event: MessageEvent<string>) => void) =>
      stream.addEventListener(type, (event) => {
        if (this.#stream === stream) action(event as MessageEvent<string>);
      });
    on('open', () => {
      this.#retryMs = RETRY_FIRST_MS;
      this.#listener.opened();
    });
    on('rows', ({ data, lastEventId }) =>
      this.#take(JSON.parse(data) as Row[], Number(lastEventId)),
    );
    on('end', () => {
      this.stop();
      this.#listener.ended();
    });
    on('later', () => {
      this.stop();
      this.#startLater(AGAIN_MS);
    });
    on('progress', ({ data }) =>
      this.#listener.progress((JSON.parse(data) as { text: string }).text),
    );
    on('pace', ({ data }) => this.#listener.paced(JSON.parse(data) as Pacing));
    on('restarted', () => {
      this.stop();
      this.#last = 0;
      this.#listener.restarted();
    });
    on('error', () => this.#retry());
  }

  stop(): void {
    this.#stops += 1;
    this.#stream?.close();
    this.#stream = null;
  }

  /** Takes all again, from another process. */
  restart(token: string): void {
    this.stop();
    this.#token = token;
    this.#last = 0;
    this.start();
  }

  /** `last`: the number of the last of the rows. */
  #take(rows: Row[], last: number): void {
    const first = last - rows.length + 1;
    // Of the first rows the older ones may be gone; behind a row that was taken nothing may be.
    if (this.#last > 0 && first > this.#last + 1) {
      this.#retry();
      return;
    }
    const fresh = rows.slice(Math.max(0, this.#last + 1 - first));
    this.#last = Math.max(this.#last, last);
    if (fresh.length > 0) this.#listener.rows(fresh);
  }

  #retry(): void {
    this.stop();
    this.#listener.lost();
    const delayMs = this.#retryMs;
    this.#retryMs = Math.min(delayMs * 2, RETRY_MAX_MS);
    this.#startLater(delayMs);
  }

  #startLater(delayMs: number): void {
    const stops = this.#stops;
    this.#later(() => {
      if (this.#stops === stops) this.start();
    }, delayMs);
  }
}
