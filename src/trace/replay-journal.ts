import {
  advance,
  type Point,
  pointOf,
  type RunSnapshot,
  type Step,
  snapshotAt,
  start,
  stateName,
} from '../../machines/fold.ts';
import { isRecord, type JournalRecord, type Resumption } from '../journal/record.ts';
import { formatLine, type Names } from './format.ts';
import type { Divergence, Replay, ReplayRecord } from './replay.ts';

interface Run {
  id: string;
  snapshot: RunSnapshot;
  names: Names;
  deadlineMs: number | null;
}

/** What one node has written: its records are numbered, and its runs follow each other. */
interface Stream {
  run: Run | null;
  seq: number | null;
  /** Where its run was, until a record goes on from there. */
  point: Point | null;
}

/** Sees a replay's rows as they are read, each with the node that its line names, or ''. */
export interface Follower {
  /** A record that the machine took; `point`: where its run was, where no beginning is there. */
  taken(node: string, record: JournalRecord, point: Point | null): void;
  /** What is no record: null, or the object of another line. */
  passed(node: string, value: unknown): void;
  /** Where the history breaks. */
  diverged(node: string, divergence: Divergence): void;
}

/**
 * Replays a journal, or a JSON log whose lines carry the journal's records as `record`, of several
 * nodes where they carry a `node`. Lines without a record belong to other parts of the program, and
 * what is no JSON to others. An excerpt may begin inside a run: what stands before the first
 * beginning of a run is passed over.
 */
export function replayJournal(text: string, follower?: Follower): Replay {
  const result: Replay = { records: [], divergence: null, findings: [], runs: 0 };
  const streams = new Map<string, Stream>();
  const rows = text.split('\n');
  for (const [index, row] of rows.entries()) {
    const lineNumber = index + 1;
    // Whole rows end with a newline, so the last one is empty or cut.
    const value = parsed(row, lineNumber === rows.length);
    const node = nodeOf(value);
    const stream = streams.get(node) ?? { run: null, seq: null, point: null };
    streams.set(node, stream);
    const before = result.records.length;
    const divergence =
      value === BROKEN
        ? breaks(lineNumber, stream.run, 'not JSON')
        : replayRow(value, lineNumber, stream, result);
    if (divergence) {
      follower?.diverged(node, divergence);
      return { ...result, divergence };
    }
    follow(follower, node, stream, value, result.records.length > before);
  }
  return result;
}

function follow(
  follower: Follower | undefined,
  node: string,
  stream: Stream,
  value: unknown,
  isTaken: boolean,
): void {
  const record = recordOf(value);
  if (record === null) follower?.passed(node, value);
  if (record === null || !isTaken) return;
  follower?.taken(node, record, stream.point);
  stream.point = null;
}

function nodeOf(value: unknown): string {
  const { node } = (value ?? {}) as { node?: unknown };
  return typeof node === 'string' ? node : '';
}

/** Takes a row into its stream and the result; gives where the history breaks. */
function replayRow(
  value: unknown,
  lineNumber: number,
  stream: Stream,
  result: Replay,
): Divergence | null {
  const record = recordOf(value);
  if (record === null) {
    if (stream.run !== null) return null;
    stream.run = resumed(value);
    if (stream.run === null) return null;
    stream.point = pointOf(stream.run.snapshot);
    result.runs += 1;
    return null;
  }
  const { run, seq } = stream;
  // Numbers only begin again with a new journal, where the old one was lost.
  const isNew = 'input' in record && record.seq === 1;
  if (seq !== null && record.seq !== seq + 1 && !isNew) {
    const message = `sequence number ${record.seq} after ${seq}: records are missing`;
    return breaks(lineNumber, run, message);
  }
  stream.seq = record.seq;
  if (!('input' in record) && run?.id !== record.run) {
    if (run === null) return null;
    return breaks(lineNumber, run, `an event of run ${record.run}, which has not begun`);
  }
  const from = run && !('input' in record) ? stateName(run.snapshot.value) : 'idle';
  const next = foldWhole(run, record);
  if (typeof next === 'string') return breaks(lineNumber, run, next);
  stream.run = next.run;
  const to = stateName(next.run.snapshot.value);
  if (to !== record.state) {
    const message = `leads to ${to}, but the record says ${record.state}`;
    return { lineNumber, state: from, message };
  }
  if ('input' in record) {
    result.runs += 1;
    if (run?.snapshot.status === 'active') {
      result.findings.push(`line ${lineNumber}: run ${run.id} had not ended`);
    }
  }
  result.records.push(replayed(lineNumber, record, from, next.run, next.step));
  const late = lateness(lineNumber, record, next.run);
  if (late) result.findings.push(late);
  return null;
}

/** The next run and step, or why there is none. */
function foldWhole(run: Run | null, record: JournalRecord): { run: Run; step: Step } | string {
  const event = 'event' in record ? record.event.type : 'the beginning';
  try {
    const next = foldRecord(run, record);
    return next ?? `${event} is not possible; possible: ${possible(run).join(', ')}`;
  } catch (error) {
    // An event without what its kind has to carry fails inside the machine.
    const [reason] = (error as Error).message.split('\n');
    return `${event} is not whole (${reason})`;
  }
}

const BROKEN = Symbol('an object cut in the middle of a file');

function parsed(row: string, isTorn: boolean): unknown {
  // Also with what `kubectl logs --prefix` puts in front; other programs' lines have no object.
  const at = row.indexOf('{"');
  if (at < 0) return null;
  try {
    return JSON.parse(row.slice(at));
  } catch {
    return isTorn || at > 0 ? null : BROKEN;
  }
}

function recordOf(value: unknown): JournalRecord | null {
  if (isRecord(value)) return value;
  const inner = (value as { record?: unknown } | null)?.record;
  return isRecord(inner) ? inner : null;
}

/** The run of an earlier process that a log begins with, or null. */
function resumed(value: unknown): Run | null {
  const { resumption } = (value ?? {}) as { resumption?: Resumption };
  if (!resumption?.point?.context) return null;
  const { run: id, deadlineMs, point } = resumption;
  try {
    return { id, deadlineMs, snapshot: snapshotAt(point), names: point.context };
  } catch {
    // Of another version's machine: what it says is passed over, up to the next run.
    return null;
  }
}

function foldRecord(before: Run | null, record: JournalRecord): { run: Run; step: Step } | null {
  if ('input' in record) {
    const { input, deadlineMs, run: id } = record;
    const step = start(input);
    return { step, run: { id, deadlineMs, snapshot: step.snapshot, names: input } };
  }
  const step = before && advance(before.snapshot, record.event);
  return before && step ? { step, run: { ...before, snapshot: step.snapshot } } : null;
}

function replayed(
  lineNumber: number,
  record: JournalRecord,
  from: string,
  run: Run,
  step: Step,
): ReplayRecord {
  const time = classicTime(record.atMs);
  return {
    lineNumber,
    time,
    from,
    to: record.state,
    event: 'event' in record ? record.event : null,
    lines: step.lines.map((line) => `${time} ${formatLine(line, run.names)}`),
  };
}

/** `YYYY/MM/DD HH:MM:SS` in UTC, as the classic log writes it. */
export function classicTime(atMs: number): string {
  const [date = '', time = ''] = new Date(atMs).toISOString().split('T');
  return `${date.replaceAll('-', '/')} ${time.slice(0, 8)}`;
}

function possible(run: Run | null): string[] {
  const events = run?.snapshot._nodes.flatMap((node) => node.ownEvents as string[]) ?? [];
  return [...new Set(events)].sort();
}

function breaks(lineNumber: number, run: Run | null, message: string): Divergence {
  return { lineNumber, state: run ? stateName(run.snapshot.value) : 'no run', message };
}

function lateness(lineNumber: number, record: JournalRecord, run: Run): string | null {
  if (run.snapshot.value !== 'failed' || run.deadlineMs === null) return null;
  if (run.snapshot.context.status !== null || record.atMs <= run.deadlineMs) return null;
  const late = record.atMs - run.deadlineMs;
  // Timers are due at the deadline, never before; a busy process is allowed a second.
  if (late < 1000) return null;
  return `line ${lineNumber}: the run ended ${late} ms after its deadline ${classicTime(run.deadlineMs)}`;
}
