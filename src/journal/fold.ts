import { advance, type RunSnapshot, type Step, start, stateName } from '../../machines/fold.ts';
import { DamagedJournal, type JournalRecord } from './record.ts';

type EventRecord = Extract<JournalRecord, { event: unknown }>;

/** The last run of a journal, folded; null for an empty journal. */
export interface FoldedRun {
  run: string;
  snapshot: RunSnapshot;
  deadlineMs: number | null;
}

/** Folds records through the machine; throws DamagedJournal where a record's state is another. */
export function foldJournal(records: JournalRecord[]): FoldedRun | null {
  let folded: FoldedRun | null = null;
  for (const [index, record] of records.entries()) {
    folded = foldRecord(folded, record, index + 1);
    const state = stateName(folded.snapshot.value);
    if (state !== record.state) {
      throw new DamagedJournal(index + 1, `leads to ${state}, not to ${record.state}`);
    }
  }
  return folded;
}

function foldRecord(before: FoldedRun | null, record: JournalRecord, line: number): FoldedRun {
  if ('input' in record) {
    const { run, deadlineMs, input } = record;
    return { run, deadlineMs, snapshot: start(input).snapshot };
  }
  const next = before && advanceBy(before.snapshot, record, line);
  if (!before || !next) {
    const state = before ? stateName(before.snapshot.value) : 'no run';
    throw new DamagedJournal(line, `${record.event.type} is not possible in ${state}`);
  }
  return { ...before, snapshot: next.snapshot };
}

/** An event without what its kind has to carry fails inside the machine. */
function advanceBy(snapshot: RunSnapshot, record: EventRecord, line: number): Step | null {
  try {
    return advance(snapshot, record.event);
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    throw new DamagedJournal(line, `${record.event.type} is not whole (${reason})`);
  }
}
