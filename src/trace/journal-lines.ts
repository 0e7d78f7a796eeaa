import { type Point, pointOf, snapshotAt, stateName } from '../../machines/fold.ts';
import { isRecord, type JournalRecord, type Resumption } from '../journal/record.ts';

/** One line of a journal or a JSON log. `node`: as the line names it, or ''. */
export type JournalLine = { lineNumber: number; node: string } & (
  | {
      kind: 'record';
      record: JournalRecord;
      /** Where its run was, where no beginning is there. */
      point: Point | null;
    }
  /** What is no record: null, or the object of another line; it may say where a run goes on. */
  | { kind: 'other'; value: unknown; resumption: Resumption | null }
  /** A record ahead of the first beginning of a run. */
  | { kind: 'passed' }
  /** Whatever the machine would make of it, it goes on no further. Nothing follows. */
  | { kind: 'break'; state: string; message: string }
);

/** What one node has written: its records are numbered, and its runs follow each other. */
interface Stream {
  run: { id: string; state: string } | null;
  seq: number | null;
  /** Where its run was, until a record goes on from there. */
  point: Point | null;
}

/**
 * Reads a journal, or a JSON log whose lines carry the journal's records as `record`, of several
 * nodes where they carry a `node`. Nothing is folded: each record is taken to lead where it says.
 */
export function* readJournal(text: string): Generator<JournalLine, void> {
  const streams = new Map<string, Stream>();
  let from = 0;
  for (let lineNumber = 1; from <= text.length; lineNumber += 1) {
    const end = text.indexOf('\n', from);
    // Whole rows end with a newline, so the last one is empty or cut.
    const value = parsed(text.slice(from, end < 0 ? undefined : end), end < 0);
    from = end < 0 ? text.length + 1 : end + 1;
    const node = nodeOf(value);
    const stream = streams.get(node) ?? { run: null, seq: null, point: null };
    streams.set(node, stream);
    const line = take(value, { lineNumber, node }, stream);
    yield line;
    if (line.kind === 'break') return;
  }
}

function nodeOf(value: unknown): string {
  const { node } = (value ?? {}) as { node?: unknown };
  return typeof node === 'string' ? node : '';
}

/** Takes a row into its stream. */
function take(
  value: unknown,
  where: { lineNumber: number; node: string },
  stream: Stream,
): JournalLine {
  const { run, seq } = stream;
  const breaks = (message: string): JournalLine => ({
    ...where,
    kind: 'break',
    state: run ? run.state : 'no run',
    message,
  });
  if (value === BROKEN) return breaks('not JSON');
  const record = recordOf(value);
  if (record === null) {
    const resumption = run === null ? goOn(value, stream) : null;
    return { ...where, kind: 'other', value, resumption };
  }
  const begins = 'input' in record;
  // Numbers only begin again with a new journal, where the old one was lost.
  if (seq !== null && record.seq !== seq + 1 && !(begins && record.seq === 1)) {
    return breaks(`sequence number ${record.seq} after ${seq}: records are missing`);
  }
  stream.seq = record.seq;
  if (!begins && run?.id !== record.run) {
    if (run === null) return { ...where, kind: 'passed' };
    return breaks(`an event of run ${record.run}, which has not begun`);
  }
  stream.run = { id: record.run, state: record.state };
  const { point } = stream;
  stream.point = null;
  return { ...where, kind: 'record', record, point };
}

const BROKEN = Symbol('an object cut in the middle of a file');

function parsed(row: string, isTorn: boolean): unknown {
  // Also with what `kubectl logs --prefix` puts in front; other programs' lines have no object.
  const at = row.indexOf('{"');
  if (at < 0) return null;
  try {
    return JSON.parse(at === 0 ? row : row.slice(at));
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
function goOn(value: unknown, stream: Stream): Resumption | null {
  const { resumption } = (value ?? {}) as { resumption?: Resumption };
  if (!resumption?.point?.context) return null;
  try {
    const snapshot = snapshotAt(resumption.point);
    const point = pointOf(snapshot);
    stream.point = point;
    stream.run = { id: resumption.run, state: stateName(snapshot.value) };
    return { ...resumption, point };
  } catch {
    // Of another version's machine: what it says is passed over, up to the next run.
    return null;
  }
}
