import type { JournalRecord } from '../journal/record.ts';
import type { Names } from '../trace/format.ts';

/** Looks on while the service runs. What it throws is the service's failure: it throws nothing. */
export interface Watcher {
  /** The journal is open, and nothing has been written into it yet. */
  begin(names: Names): Promise<void>;
  onRecord(record: JournalRecord): void;
}
