import {
  advance,
  type RunSnapshot,
  type Step,
  snapshotAt,
  start,
  stateName,
} from '../../machines/fold.ts';
import type { JournalRecord, Resumption } from '../journal/record.ts';
import { formatLine, type Names } from './format.ts';
import { type JournalLine, readJournal } from './journal-lines.ts';
import type { Divergence, Replay, ReplayRecord } from './replay.ts';

interface Run {
  id: string;
  snapshot: RunSnapshot;
  names: Names;
  deadlineMs: number | null;
}

/**
 * Replays a journal, or a JSON log whose lines carry the journal's records as `record`, of several
 * nodes where they carry a `node`. Lines without a record belong to other parts of the program, and
 * what is no JSON to others. An excerpt may begin inside a run: what stands before the first
 * beginning of a run is passed over.
 */
export function replayJournal(text: string): Replay {
  const result: Replay = { records: [], divergence: null, findings: [], runs: 0 };
  const runs = new Map<string, Run>();
  for (const line of readJournal(text)) {
    const divergence = replayLine(line, runs, result);
    if (divergence) return { ...result, divergence };
  }
  return result;
}

/** Takes a line into its node's run and the result; gives where the history breaks. */
function replayLine(line: JournalLine, runs: Map<string, Run>, result: Replay): Divergence | null {
  switch (line.kind) {
    case 'break': {
      const { lineNumber, state, message } = line;
      return { lineNumber, state, message };
    }
    case 'other':
      if (line.resumption === null) return null;
      runs.set(line.node, resumed(line.resumption));
      result.runs += 1;
      return null;
    case 'record':
      return replayRecord(line, runs, result);
    default:
      return null;
  }
}

function replayRecord(
  { lineNumber, node, record }: Extract<JournalLine, { kind: 'record' }>,
  runs: Map<string, Run>,
  result: Replay,
): Divergence | null {
  const run = runs.get(node) ?? null;
  const from = run && !('input' in record) ? stateName(run.snapshot.value) : 'idle';
  const next = foldWhole(run, record);
  if (typeof next === 'string') {
    return { lineNumber, state: run ? stateName(run.snapshot.value) : 'no run', message: next };
  }
  runs.set(node, next.run);
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

/** The run of an earlier process that a log begins with. */
function resumed({ run: id, deadlineMs, point }: Resumption): Run {
  return { id, deadlineMs, snapshot: snapshotAt(point), names: point.context };
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

function lateness(lineNumber: number, record: JournalRecord, run: Run): string | null {
  if (run.snapshot.value !== 'failed' || run.deadlineMs === null) return null;
  if (run.snapshot.context.status !== null || record.atMs <= run.deadlineMs) return null;
  const late = record.atMs - run.deadlineMs;
  // Timers are due at the deadline, never before; a busy process is allowed a second.
  if (late < 1000) return null;
  return `line ${lineNumber}: the run ended ${late} ms after its deadline ${classicTime(run.deadlineMs)}`;
}
