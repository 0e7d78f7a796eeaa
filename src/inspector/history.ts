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

/** The rows of a journal, a JSON log or a classic log; `name` is how messages call it. */
export function historyOf(name: string, text: string): History {
  return isJson(text) ? journalRows(name, text) : classicRows(name, text);
}
