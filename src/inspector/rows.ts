import type { Point } from '../../machines/fold.ts';
import type { JournalRecord } from '../journal/record.ts';

/** What the page is sent, one thing a row. Plain data. */
export type Row =
  | ({
      kind: 'record';
      /** One of Source.sources: the records of one are one journal, and fold. */
      source: string;
      node: string;
      record: JournalRecord;
      /** Where its run was ahead of this record, where the run's beginning is not there. */
      point?: Point;
    } & Place)
  /** A history is refused behind the record before: `line` of its file, in `state`. */
  | ({
      kind: 'divergence';
      source: string;
      node: string;
      line: number;
      state: string;
      message: string;
    } & Place)
  /** What is outside the machine. `atMs`: ms since the epoch. */
  | ({ kind: 'note'; node: string; atMs: number; text: string } & Place);

/** Where a row stands in a journal or a JSON log: where one is refused, all of its file ends there. */
export interface Place {
  /** The number of the file, from 0. */
  file?: number;
  /** From 1. */
  line?: number;
}

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
  /** How fast it goes, once a Pacing has told. */
  speed?: number;
  /** When a rehearsal begins, ms since the epoch. */
  startMs?: number;
}

/** How a rehearsal goes on. */
export interface Pacing {
  state: 'playing' | 'paused' | 'over';
  /** Virtual ms in a real one; 0: as fast as possible. */
  speed: number;
}
