import type { JournalFile } from '../../src/journal/file.ts';
import { foldJournal } from '../../src/journal/fold.ts';
import type { JournalRecord } from '../../src/journal/record.ts';

/** A node's disk with its journal: what was not flushed lives in memory and dies with the host. */
export interface Disk {
  /** As a process opens it at its start. */
  open(): JournalFile;
  /** The host dies without a word. */
  losePower(): void;
  /** All is gone. */
  wipe(): void;
  records(): readonly JournalRecord[];
}

export function createDisk(): Disk {
  let records: JournalRecord[] = [];
  let seq = 0;
  let flushed = 0;
  return {
    open() {
      seq = records.at(-1)?.seq ?? 0;
      return {
        last: foldJournal(lastRun(records)),
        number: (record) => {
          seq += 1;
          return { seq, ...record } as JournalRecord;
        },
        append(record, flush) {
          records.push(record);
          if (flush) flushed = records.length;
        },
        close: () => {},
      };
    },
    losePower() {
      records = records.slice(0, flushed);
    },
    wipe() {
      records = [];
      flushed = 0;
    },
    records: () => records,
  };
}

/** A process folds all of its journal; the runs before the last one change nothing of that. */
function lastRun(records: JournalRecord[]): JournalRecord[] {
  const index = records.findLastIndex((record) => 'input' in record);
  return records.slice(Math.max(0, index));
}
