import type { JournalRecord } from '../../journal/record.ts';
import type { Stream } from './history.ts';

export interface File {
  name: string;
  text: string;
}

const ENDS: ReadonlySet<string> = new Set(['done', 'failed', 'stopped']);

/** A stream's records as a journal. */
export function journalFile(stream: Stream): File {
  return { name: `${plain(stream.node)}.ndjson`, text: ndjson(recordsOf(stream)) };
}

/** Whether there is a whole run to make a history of. */
export function hasEndedRun(stream: Stream): boolean {
  return stream.segments.some(
    ({ begin: { row, run } }) => run !== null && ENDS.has(row.record.state),
  );
}

/**
 * A stream's whole runs as a golden history, to be put into test/histories/; null where no run has
 * ended. Records are numbered through, since a gap would be refused there.
 */
export function historyFile(stream: Stream): File | null {
  const all = recordsOf(stream);
  const begin = all.findIndex((record) => 'input' in record);
  const end = all.findLastIndex(({ state }) => ENDS.has(state));
  const first = all[begin];
  if (first === undefined || end < begin) return null;
  const whole = all
    .slice(begin, end + 1)
    .map((record, index) => ({ ...record, seq: first.seq + index }));
  const state = whole.at(-1)?.state ?? '';
  return { name: `${plain(stream.node)}-${state}-${plain(first.run)}.ndjson`, text: ndjson(whole) };
}

function recordsOf({ items }: Stream): JournalRecord[] {
  return items.map(({ row }) => row.record);
}

function ndjson(records: readonly JournalRecord[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** What every file system takes. */
function plain(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+/, '') || 'history';
}
