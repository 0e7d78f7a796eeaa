import type { RunEvent } from '../../../machines/events.ts';
import {
  advance,
  type Point,
  type RunSnapshot,
  type Step,
  snapshotAt,
  start,
  stateName,
} from '../../../machines/fold.ts';
import type { JournalRecord } from '../../journal/record.ts';
import { formatLine } from '../../trace/format.ts';
import type { Row } from '../rows.ts';
import { withAncestors } from './states.ts';

type RecordRow = Extract<Row, { kind: 'record' }>;

/** A node at one moment: its run, folded up to there. */
export interface Fold {
  run: string;
  snapshot: RunSnapshot;
  deadlineMs: number | null;
  /**
   * Since when each active state is active, also those around others; ms since the epoch, NaN where
   * it was so ahead of this history.
   */
  enteredMs: Readonly<Record<string, number>>;
  /** The run began ahead of this history: its deadline is not known. */
  isExcerpt: boolean;
}

export interface FoldStep {
  fold: Fold;
  from: string;
  to: string;
  lines: string[];
}

/** A history breaks: in this state, and why; both in the words of `replay`. */
export interface Refusal {
  state: string;
  message: string;
}

/**
 * The next step of a node, or how its history breaks here. `ahead`: null ahead of its first run;
 * a row with a point says itself where its run was.
 */
export function foldRecord(ahead: Fold | null, { record, point }: RecordRow): FoldStep | Refusal {
  const before = point ? foldAt(point, record) : ahead;
  if (typeof before === 'string') return { state: 'no run', message: before };
  const isBeginning = 'input' in record;
  const stateBefore = before && stateName(before.snapshot.value);
  const step = stepOf(before, record);
  if (typeof step === 'string') return { state: stateBefore ?? 'no run', message: step };
  const to = stateName(step.snapshot.value);
  const from = stateBefore === null || isBeginning ? 'idle' : stateBefore;
  if (to !== record.state) {
    return { state: from, message: `leads to ${to}, but the record says ${record.state}` };
  }
  const names = isBeginning ? record.input : step.snapshot.context;
  return {
    from,
    to,
    lines: step.lines.map((line) => formatLine(line, names)),
    fold: {
      run: record.run,
      snapshot: step.snapshot,
      deadlineMs: deadlineOf(before, record),
      isExcerpt: !isBeginning && before?.isExcerpt === true,
      enteredMs: entered(isBeginning ? {} : (before?.enteredMs ?? {}), to, record.atMs),
    },
  };
}

export function isRefusal(step: FoldStep | Refusal): step is Refusal {
  return 'message' in step;
}

function foldAt(point: Point, { run }: JournalRecord): Fold | string {
  try {
    const snapshot = snapshotAt(point);
    const ids = withAncestors(stateName(snapshot.value));
    const enteredMs = Object.fromEntries(ids.map((id) => [id, Number.NaN]));
    return { run, snapshot, deadlineMs: null, enteredMs, isExcerpt: true };
  } catch {
    return "its run goes on from a point of another version's machine";
  }
}

/** Taken over by a new process, a run has what is left of its window from then on. */
function deadlineOf(before: Fold | null, record: JournalRecord): number | null {
  if ('input' in record) return record.deadlineMs;
  if (record.event.type !== 'run.resumed') return before?.deadlineMs ?? null;
  const { deadlineInMs } = record.event;
  return deadlineInMs === null ? null : record.atMs + deadlineInMs;
}

function stepOf(before: Fold | null, record: JournalRecord): Step | string {
  const type = 'event' in record ? record.event.type : 'the beginning';
  try {
    if ('input' in record) return start(record.input);
    if (before === null || before.run !== record.run) {
      return `an event of run ${record.run}, which has not begun`;
    }
    const next = advance(before.snapshot, record.event);
    return (
      next ?? `${type} is not possible; possible: ${possibleEvents(before.snapshot).join(', ')}`
    );
  } catch (error) {
    // An event without what its kind has to carry fails inside the machine.
    return `${type} is not whole (${(error as Error).message.split('\n')[0]})`;
  }
}

/** The events that some active state has a transition for, sorted. */
function possibleEvents(snapshot: RunSnapshot): RunEvent['type'][] {
  const types = snapshot._nodes.flatMap((node) => node.ownEvents as RunEvent['type'][]);
  return [...new Set(types)].sort();
}

function entered(before: Fold['enteredMs'], to: string, atMs: number): Fold['enteredMs'] {
  const ids = withAncestors(to);
  const isSame = ids.length === Object.keys(before).length && ids.every((id) => id in before);
  return isSame ? before : Object.fromEntries(ids.map((id) => [id, before[id] ?? atMs]));
}
