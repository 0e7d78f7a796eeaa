import type { Point } from '../../machines/fold.ts';
import type { JournalRecord } from '../journal/record.ts';

/** What the page is sent, one thing a row. Plain data. */
export type Row =
  | {
      kind: 'record';
      /** One of Source.sources: the records of one are one journal, and fold. */
      source: string;
      node: string;
      record: JournalRecord;
      /** Where its run was ahead of this record, where the run's beginning is not there. */
      point?: Point;
    }
  /** A history is refused behind the record before: `line` of its file, in `state`. */
  | {
      kind: 'divergence';
      source: string;
      node: string;
      line: number;
      state: string;
      message: string;
    }
  /** What is outside the machine. `atMs`: ms since the epoch. */
  | { kind: 'note'; node: string; atMs: number; text: string };

/** What is shown. */
export interface Source {
  mode: 'files' | 'live' | 'rehearsal';
  version: string;
  title: string;
  /** Random for each process: rows of another one do not go on with these. */
  token: string;
  sources: { name: string; node: string }[];
  /** It can be told to pause, to play and to step. */
  isPaced: boolean;
  isPaused: boolean;
  /** When a rehearsal begins, ms since the epoch. */
  startMs?: number;
}
