import type { JournalRecord } from '../journal/record.ts';
import { type ReplayRecord, replaySteps, timeMs } from '../trace/replay.ts';
import type { Reading } from './history.ts';
import type { Row } from './rows.ts';

/** What the records of a log are numbered and named by. */
interface Numbering {
  seq: number;
  run: string;
  /** Where the run is, '' ahead of the first one. */
  state: string;
  version: string;
}

/**
 * A classic log's rows, in small steps. It holds no records: they are made from what the replay
 * makes of the lines. Times are whole seconds, taken as UTC.
 */
export function* classicRows(name: string, text: string): Reading {
  const { records, divergence, runs } = yield* replaySteps(text);
  // An excerpt may never name its node.
  const node = nodeOf(records) || name;
  const times = timesOf(records);
  const numbering: Numbering = { seq: 0, run: '', state: '', version: '' };
  const rows: Row[] = [];
  for (const [index, record] of records.entries()) {
    const atMs = times[index] as number;
    rows.push(...rowsOf(record, { source: name, node, atMs }, numbering));
    yield { line: record.lineNumber, isHistory: runs > 0 };
  }
  if (divergence) {
    const { lineNumber: line, state, message } = divergence;
    rows.push({ kind: 'divergence', source: name, node, line, state, message });
  }
  return { rows, sources: [{ name, node }], runs };
}

function rowsOf(
  record: ReplayRecord,
  { source, node, atMs }: { source: string; node: string; atMs: number },
  numbering: Numbering,
): Row[] {
  if (!record.input && record.event === null) {
    const text = record.lines.map(withoutTime).join('\n');
    numbering.version = /host-upgrades version (\S+)/.exec(text)?.[1] ?? numbering.version;
    return [{ kind: 'note', node, atMs, text }];
  }
  return recordsOf(record, atMs, numbering).map((made, index) => {
    const row: Row = { kind: 'record', source, node, record: made };
    return record.point && index === 0 ? { ...row, point: record.point } : row;
  });
}

function recordsOf(replayed: ReplayRecord, atMs: number, numbering: Numbering): JournalRecord[] {
  const { input, event, to, point, lineNumber } = replayed;
  const numbered = (state: string) => {
    numbering.seq += 1;
    numbering.state = state;
    return { seq: numbering.seq, atMs, run: numbering.run, state };
  };
  if (input) {
    numbering.run = `line-${lineNumber}`;
    const { deadlineInMs } = input;
    const deadlineMs = deadlineInMs === null ? null : atMs + deadlineInMs;
    return [{ ...numbered(to), input, deadlineMs, version: numbering.version }];
  }
  if (event === null) return [];
  if (point) numbering.run = `line-${lineNumber}`;
  // That a process died is no line of its log.
  const isSilent = event.type === 'run.resumed' && !point && numbering.state !== 'interrupted';
  const before: JournalRecord[] = isSilent
    ? [{ ...numbered('interrupted'), event: { type: 'run.interrupted' } }]
    : [];
  return [...before, { ...numbered(to), event }];
}

/** Of the first run whose beginning tells it. */
function nodeOf(records: ReplayRecord[]): string {
  for (const { input, point } of records) {
    const node = input?.node ?? point?.context.node ?? '';
    if (node !== '') return node;
  }
  return '';
}

/** When each record was written; what has no time of its own belongs to what is before it. */
function timesOf(records: ReplayRecord[]): number[] {
  const own = records.map(({ time }) => (time === '' ? Number.NaN : timeMs(time)));
  let last = own.find((ms) => !Number.isNaN(ms)) ?? 0;
  return own.map((ms) => {
    if (!Number.isNaN(ms)) last = ms;
    return last;
  });
}

function withoutTime(line: string): string {
  return line.replace(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d /, '');
}
