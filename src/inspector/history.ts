import { isJson } from '../trace/history.ts';
import { classicRows } from './classic-rows.ts';
import { journalRows } from './journal-rows.ts';
import type { Row, Source } from './rows.ts';

/** One file, as far as the machine takes it. */
export interface History {
  rows: Row[];
  sources: Source['sources'];
  /** How many runs begin in it; 0 without a divergence: it is no history. */
  runs: number;
}

/** How far a file is read. */
export interface Progress {
  /** The last line that was read. */
  line: number;
  /** A run has begun by then, or the history has broken. */
  isHistory: boolean;
}

/** Reads a file in small steps: who drives it decides when, and how many at a time. */
export type Reading = Generator<Progress, History>;

/**
 * A journal, a JSON log or a classic log. `name` is how messages call it; `file` numbers it where
 * there are several.
 */
export function readingOf(name: string, text: string, file = 0): Reading {
  return isJson(text) ? journalRows(name, text, file) : classicRows(name, text);
}

/** The rows of a file, read at once. */
export function historyOf(name: string, text: string, file = 0): History {
  const reading = readingOf(name, text, file);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
  }
}

/** Whether a run begins in it, or it is refused where one should. */
export function isHistory({ runs, rows }: History): boolean {
  return runs > 0 || rows.some(({ kind }) => kind === 'divergence');
}
