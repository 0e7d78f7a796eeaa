import type { RunEvent, RunInput } from '../../machines/events.ts';
import type { Point } from '../../machines/fold.ts';

/** One line of a journal: what came from outside, and the state it led to. */
export type JournalRecord = {
  /** 1, 2, 3 … within one file; the order is the sequence's, never the clock's. */
  seq: number;
  /** Wall time, ms since the epoch, UTC. */
  atMs: number;
  /** The run's id. */
  run: string;
  state: string;
} & ({ input: RunInput; deadlineMs: number | null; version: string } | { event: RunEvent });

/** What a log begins with that goes on with a run of an earlier process. */
export interface Resumption {
  run: string;
  deadlineMs: number | null;
  /** Where the run was. */
  point: Point;
}

/** Damage anywhere but at the end of a journal. */
export class DamagedJournal extends Error {
  readonly lineNumber: number;
  constructor(lineNumber: number, why: string) {
    super(`line ${lineNumber}: ${why}`);
    this.lineNumber = lineNumber;
  }
}

export interface Journal {
  records: JournalRecord[];
  /** Bytes up to the end of the last whole record. */
  bytes: number;
  /** A last line that was being written when the process died, or ''. */
  torn: string;
}

/**
 * Reads a journal's bytes. A line without its newline at the end is torn: a crash during the
 * write. Anything else that is not the next record throws DamagedJournal.
 */
export function parseJournal(bytes: Buffer): Journal {
  const records: JournalRecord[] = [];
  let offset = 0;
  for (;;) {
    const end = bytes.indexOf(0x0a, offset);
    if (end < 0) break;
    records.push(parseRecord(bytes.toString('utf8', offset, end), records));
    offset = end + 1;
  }
  return { records, bytes: offset, torn: bytes.toString('utf8', offset) };
}

function parseRecord(text: string, before: JournalRecord[]): JournalRecord {
  const lineNumber = before.length + 1;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DamagedJournal(lineNumber, 'not JSON');
  }
  if (!isRecord(value)) throw new DamagedJournal(lineNumber, 'not a journal record');
  const last = before.at(-1);
  if (last && value.seq !== last.seq + 1) {
    throw new DamagedJournal(lineNumber, `sequence number ${value.seq} after ${last.seq}`);
  }
  const begins = 'input' in value;
  if (!begins && (!last || last.run !== value.run)) {
    throw new DamagedJournal(lineNumber, `an event of run ${value.run}, which has not begun`);
  }
  return value;
}

/** Whether a parsed line has the shape of a journal record. */
export function isRecord(value: unknown): value is JournalRecord {
  if (typeof value !== 'object' || value === null) return false;
  const record = value as Record<string, unknown>;
  return (
    Number.isInteger(record.seq) &&
    isTime(record.atMs) &&
    typeof record.run === 'string' &&
    typeof record.state === 'string' &&
    (isBeginning(record) || isObject(record.event))
  );
}

function isBeginning({ input, deadlineMs }: Record<string, unknown>): boolean {
  return isObject(input) && (deadlineMs === null || isTime(deadlineMs));
}

/** What a Date can be. */
function isTime(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= 8.64e15;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
