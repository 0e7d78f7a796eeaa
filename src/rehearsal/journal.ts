import type { JournalFile } from '../journal/file.ts';
import { foldJournal } from '../journal/fold.ts';
import type { JournalRecord } from '../journal/record.ts';

/** Opens a node's journal, as its process does at each start. */
export type OpenJournal = (node: string) => JournalFile;

/** Journals that end with the rehearsal. */
export function memoryJournals(): OpenJournal {
  const journals = new Map<string, JournalRecord[]>();
  return (node) => {
    const records = journals.get(node) ?? [];
    journals.set(node, records);
    return {
      last: foldJournal(records),
      number: (record) => ({ seq: records.length + 1, ...record }) as JournalRecord,
      append: (record) => {
        records.push(record);
      },
      close: () => {},
    };
  };
}
