import { carryOn } from './carry.ts';
import type { Row } from './rows.ts';

/** Rows in the order in which they came, numbered from 1, for any number of readers. */
export interface Feed {
  append(row: Row): void;
  /** Appends rows that are no news: whoever takes them slowly is not behind. */
  appendPast(rows: readonly Row[]): void;
  /** The number of the newest row that is no news; 0: all are. */
  pastId(): number;
  /** Tells all readers, and those who come, how things stand: of each type the newest counts. */
  say(type: string, data: unknown): void;
  /** What was said since, oldest first; `since`: the `number` of the last that is known, 0: none. */
  said(since: number): Said[];
  /** Nothing follows. */
  end(): void;
  isEnded(): boolean;
  /** The number of the oldest row that is kept; one more than the last where none is. */
  firstId(): number;
  /** The number of the newest row; 0: none came yet. */
  lastId(): number;
  /** The next rows behind number `after`, as a JSON array with the last one's number; null: none. */
  batch(after: number): Batch | null;
  /** Calls `listener` after each row and at the end; returns how to stop that. */
  onChange(listener: () => void): () => void;
}

export interface Said {
  number: number;
  type: string;
  json: string;
}

export interface Batch {
  json: string;
  lastId: number;
}

const BATCH_ROWS = 500;
/** A batch ends where it has this many characters: it is what waits in memory for one reader. */
const BATCH_LENGTH = 256 * 1_024;

interface Kept {
  /** As text: written once, however many read it, and smaller than the objects. */
  readonly json: string;
  readonly isBeginning: boolean;
}

/** A row that was there already: it becomes text only when somebody asks for it. */
class Past implements Kept {
  readonly isBeginning: boolean;
  #row: Row | null;
  #json = '';

  constructor(row: Row) {
    this.#row = row;
    this.isBeginning = isBeginning(row);
  }

  get json(): string {
    if (this.#row) this.#json = JSON.stringify(this.#row);
    this.#row = null;
    return this.#json;
  }
}

function isBeginning(row: Row): boolean {
  return row.kind === 'record' && 'input' in row.record;
}

/**
 * With `maxRows`, for the rows of one source, the older runs are dropped; of a run that is longer
 * than that its older part, and the first record that is kept says where the run was.
 */
export function createFeed(maxRows = Number.POSITIVE_INFINITY): Feed {
  let kept: Kept[] = [];
  let dropped = 0;
  let isEnded = false;
  let pastId = 0;
  /** By type. */
  const said = new Map<string, Said>();
  let sayings = 0;
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const drop = () => {
    const excess = kept.length - maxRows;
    // Where the next run begins so late that little would be left, this one is cut.
    const early = kept.slice(0, Math.ceil(maxRows / 2));
    const at = early.findIndex(({ isBeginning }, index) => isBeginning && index >= excess);
    // A tenth at once: the rest is seldom gone through.
    const count = at > 0 ? at : Math.max(excess, Math.floor(maxRows / 10));
    const gone = kept.slice(0, count);
    kept = kept.slice(count);
    dropped += count;
    if (at <= 0) goOn(gone, kept);
  };
  return {
    append(row) {
      kept.push({ json: JSON.stringify(row), isBeginning: isBeginning(row) });
      if (kept.length > maxRows) drop();
      tell();
    },
    appendPast(rows) {
      for (const row of rows) kept.push(new Past(row));
      if (kept.length > maxRows) drop();
      pastId = dropped + kept.length;
      tell();
    },
    pastId: () => pastId,
    say(type, data) {
      sayings += 1;
      // The newest last.
      said.delete(type);
      said.set(type, { number: sayings, type, json: JSON.stringify(data) });
      tell();
    },
    said: (since) => [...said.values()].filter(({ number }) => number > since),
    end() {
      isEnded = true;
      tell();
    },
    isEnded: () => isEnded,
    firstId: () => dropped + 1,
    lastId: () => dropped + kept.length,
    batch(after) {
      const from = after - dropped;
      let [to, length] = [from, 0];
      while (to < kept.length && to - from < BATCH_ROWS && length < BATCH_LENGTH) {
        length += (kept[to] as Kept).json.length;
        to += 1;
      }
      if (to === from) return null;
      const rows = kept.slice(from, to).map(({ json }) => json);
      return { json: `[${rows.join(',')}]`, lastId: dropped + to };
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Tells the first record of `kept` where its run was after those that are `gone`. */
function goOn(gone: Kept[], kept: Kept[]): void {
  const at = kept.findIndex(({ json }) => (JSON.parse(json) as Row).kind === 'record');
  const first = kept[at];
  if (!first || first.isBeginning) return;
  const row = carryOn(
    gone.map(({ json }) => JSON.parse(json) as Row),
    JSON.parse(first.json) as Row,
  );
  kept[at] = { ...first, json: JSON.stringify(row) };
}
