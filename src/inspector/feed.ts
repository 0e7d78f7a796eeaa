import { carryOn } from './carry.ts';
import type { Row } from './rows.ts';

/** Rows in the order in which they came, numbered from 1, for any number of readers. */
export interface Feed {
  append(row: Row): void;
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

export interface Batch {
  json: string;
  lastId: number;
}

const BATCH_ROWS = 500;
/** A batch ends where it has this many characters: it is what waits in memory for one reader. */
const BATCH_LENGTH = 256 * 1_024;

interface Kept {
  /** As text: written once, however many read it, and smaller than the objects. */
  json: string;
  isBeginning: boolean;
}

/**
 * With `maxRows`, for the rows of one source, the older runs are dropped; of a run that is longer
 * than that its older part, and the first record that is kept says where the run was.
 */
export function createFeed(maxRows = Number.POSITIVE_INFINITY): Feed {
  let kept: Kept[] = [];
  let dropped = 0;
  let isEnded = false;
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
      const isBeginning = row.kind === 'record' && 'input' in row.record;
      kept.push({ json: JSON.stringify(row), isBeginning });
      if (kept.length > maxRows) drop();
      tell();
    },
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
