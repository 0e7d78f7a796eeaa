import type { JournalRecord } from '../journal/record.ts';

/** What the page is sent, one a row: a journal's record, where a history breaks, or a remark. */
export type Row =
  | { kind: 'record'; source: string; node: string; record: JournalRecord }
  | {
      kind: 'divergence';
      source: string;
      node: string;
      line: number;
      state: string;
      message: string;
    }
  /** Lines outside the machine, and what a rehearsal does. */
  | { kind: 'note'; node: string; atMs: number; text: string };

/** What is shown: /source.json. */
export interface Source {
  mode: 'files' | 'live' | 'rehearsal';
  version: string;
  title: string;
  /** Random for each process: numbers of rows only count within one. */
  token: string;
  sources: { name: string; node: string }[];
  /** It can be told to pause, to play and to step. */
  isPaced: boolean;
  isPaused: boolean;
  startMs?: number;
}
