import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
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
import { lastRotatedSeq, ROTATE_BYTES, rotate, syncFolder } from './rotate.ts';

/** Distributes over the union, so that each kind of record keeps its own fields. */
type Unnumbered<T> = T extends unknown ? Omit<T, 'seq'> : never;

export interface JournalFile {
  /** The last run as the journal tells it, or null. */
  last: FoldedRun | null;
  /** Gives a record its sequence number. */
  number(record: Unnumbered<JournalRecord>): JournalRecord;
  /**
   * Appends a numbered record; with `flush` it is on the disk when this returns. A record that
   * begins a run may begin a new file: a run is never torn apart. Throws on I/O errors; what was
   * being written then stays the end of its file, and the next run begins a new one.
   */
  append(record: JournalRecord, flush: boolean): void;
  close(): void;
}

/**
 * Opens the journal at `path`, folding what is there. A torn last line is cut off with a warning;
 * a damaged file is set aside under a new name, never overwritten, and a new one begun.
 */
export function openJournal(
  path: string,
  warn: (message: string) => void,
  rotateBytes = ROTATE_BYTES,
): JournalFile {
  mkdirSync(dirname(path), { recursive: true });
  const recovered = recover(path, warn);
  let { seq } = recovered;
  let fd = openAppending(path);
  let isBroken = false;
  if (recovered.bytes !== null) ftruncateSync(fd, recovered.bytes);
  return {
    last: recovered.last,
    number(record) {
      seq += 1;
      return { seq, ...record } as JournalRecord;
    },
    append(record, flush) {
      const isFull = () => fstatSync(fd).size > rotateBytes;
      if ('input' in record && (isBroken || isFull())) {
        isBroken = true;
        fd = beginFile(path, fd);
        isBroken = false;
      }
      if (isBroken) throw new Error(`${path}: an earlier record of this run could not be written`);
      try {
        writeWhole(fd, Buffer.from(`${JSON.stringify(record)}\n`));
        if (flush) fdatasyncSync(fd);
      } catch (error) {
        isBroken = true;
        throw error;
      }
    },
    close: () => closeSync(fd),
  };
}

/** The old file is let go only when the new one is there: a closed descriptor may become another's. */
function beginFile(path: string, old: number): number {
  if (existsSync(path)) rotate(path);
  const fd = openAppending(path);
  closeSync(old);
  return fd;
}

function openAppending(path: string): number {
  const isNew = !existsSync(path);
  const fd = openSync(path, 'a');
  if (isNew) syncFolder(dirname(path));
  return fd;
}

interface Recovered {
  seq: number;
  last: FoldedRun | null;
  /** Where a torn file is to be cut, or null. */
  bytes: number | null;
}

function recover(path: string, warn: (message: string) => void): Recovered {
  if (!existsSync(path)) return { seq: lastRotatedSeq(path), last: null, bytes: null };
  try {
    const journal = parseJournal(readFileSync(path));
    const last = foldJournal(journal.records);
    const seq = journal.records.at(-1)?.seq ?? lastRotatedSeq(path);
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
