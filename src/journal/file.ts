import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { type FoldedRun, foldJournal } from './fold.ts';
import { DamagedJournal, type JournalRecord, parseJournal } from './record.ts';

/** Distributes over the union, so that each kind of record keeps its own fields. */
type Unnumbered<T> = T extends unknown ? Omit<T, 'seq'> : never;

export interface JournalFile {
  /** The last run as the journal tells it, or null. */
  last: FoldedRun | null;
  /** Appends a record; with `flush` it is on the disk when this returns. Throws on I/O errors. */
  append(record: Unnumbered<JournalRecord>, flush: boolean): JournalRecord;
  close(): void;
}

/**
 * Opens the journal at `path`, folding what is there. A torn last line is cut off with a warning;
 * a damaged file is set aside under a new name, never overwritten, and a new one begun.
 */
export function openJournal(path: string, warn: (message: string) => void): JournalFile {
  mkdirSync(dirname(path), { recursive: true });
  const isNew = !existsSync(path);
  const { seq, last, bytes } = recover(path, warn);
  const fd = openSync(path, 'a');
  if (bytes !== null) ftruncateSync(fd, bytes);
  if (isNew) syncFolder(dirname(path));
  let next = seq;
  return {
    last,
    append(record, flush) {
      next += 1;
      const numbered = { seq: next, ...record } as JournalRecord;
      writeWhole(fd, Buffer.from(`${JSON.stringify(numbered)}\n`));
      if (flush) fdatasyncSync(fd);
      return numbered;
    },
    close: () => closeSync(fd),
  };
}

interface Recovered {
  seq: number;
  last: FoldedRun | null;
  /** Where a torn file is to be cut, or null. */
  bytes: number | null;
}

function recover(path: string, warn: (message: string) => void): Recovered {
  if (!existsSync(path)) return { seq: 0, last: null, bytes: null };
  try {
    const journal = parseJournal(readFileSync(path));
    const last = foldJournal(journal.records);
    const seq = journal.records.at(-1)?.seq ?? 0;
    if (journal.torn === '') return { seq, last, bytes: null };
    warn(`${path}: the last record was cut short by a crash and is dropped`);
    return { seq, last, bytes: journal.bytes };
  } catch (error) {
    if (!(error instanceof DamagedJournal)) throw error;
    const aside = freeName(path);
    renameSync(path, aside);
    warn(`${path}: ${error.message}; set aside as ${aside}`);
    return { seq: 0, last: null, bytes: null };
  }
}

function freeName(path: string): string {
  for (let number = 1; ; number += 1) {
    const name = `${path}.damaged-${number}`;
    if (!existsSync(name)) return name;
  }
}

function writeWhole(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}

/** A new name is only durable once its folder is. */
function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  fsyncSync(fd);
  closeSync(fd);
}
