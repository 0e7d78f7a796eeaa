import {
  advance,
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

/**
 * Replays a journal, or a JSON log whose lines carry the journal's records as `record`.
 * Lines without one belong to other parts of the program. An excerpt may begin inside a run: what
 * stands before the first beginning of a run is passed over.
 */
export function replayJournal(text: string): Replay {
  const result: Replay = { records: [], divergence: null, findings: [], runs: 0 };
  let run: Run | null = null;
  let seq: number | null = null;
  const rows = text.split('\n');
  for (const [index, row] of rows.entries()) {
    const lineNumber = index + 1;
    // Whole rows end with a newline, so the last one is empty or cut.
    const value = parsed(row, lineNumber === rows.length);
    if (value === 'broken') return { ...result, divergence: breaks(lineNumber, run, 'not JSON') };
    const record = recordOf(value);
    if (record === null) {
      if (run !== null) continue;
      run = resumed(value);
      if (run !== null) result.runs += 1;
      continue;
    }
    // Numbers only begin again with a new journal, where the old one was lost.
    const isNew = 'input' in record && record.seq === 1;
    if (seq !== null && record.seq !== seq + 1 && !isNew) {
      const message = `sequence number ${record.seq} after ${seq}: records are missing`;
      return { ...result, divergence: breaks(lineNumber, run, message) };
    }
    seq = record.seq;
    if (!('input' in record) && run?.id !== record.run) {
      if (run === null) continue;
      const message = `an event of run ${record.run}, which has not begun`;
      return { ...result, divergence: breaks(lineNumber, run, message) };
    }
    const from = run && !('input' in record) ? stateName(run.snapshot.value) : 'idle';
    const unended = 'input' in record && run?.snapshot.status === 'active' ? run.id : null;
    const next = foldRecord(run, record);
    if (next === null) {
      const event = 'event' in record ? record.event.type : '';
      const message = `${event} is not possible; possible: ${possible(run).join(', ')}`;
      return { ...result, divergence: breaks(lineNumber, run, message) };
    }
    run = next.run;
    const to = stateName(run.snapshot.value);
    if (to !== record.state) {
      const message = `leads to ${to}, but the record says ${record.state}`;
      return { ...result, divergence: { lineNumber, state: from, message } };
    }
    if ('input' in record) result.runs += 1;
    if (unended !== null) result.findings.push(`line ${lineNumber}: run ${unended} had not ended`);
    result.records.push(replayed(lineNumber, record, from, next.run, next.step));
    const late = lateness(lineNumber, record, next.run);
    if (late) result.findings.push(late);
  }
  return result;
}

function parsed(row: string, isTorn: boolean): unknown {
  if (row === '') return null;
  try {
    return JSON.parse(row);
  } catch {
    return isTorn ? null : 'broken';
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
