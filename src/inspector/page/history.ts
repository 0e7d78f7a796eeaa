import type { RunInput } from '../../../machines/events.ts';
import { stateName } from '../../../machines/fold.ts';
import type { Row } from '../rows.ts';
import { type Phase, phaseOf } from './states.ts';

/** A row with its place. Positions count the records of one stream, from 0. */
export interface Item {
  /** Its place on the common time axis. */
  index: number;
  row: Row;
  node: string;
  /** ms since the epoch; of the record ahead for rows without a time. */
  atMs: number;
  /** null for remarks. */
  stream: Stream | null;
  position: number;
  /** null ahead of the first beginning, and for what is no record. */
  run: Run | null;
}

/** One node's records out of one source: folded by themselves. */
export interface Stream {
  key: string;
  source: string;
  node: string;
  items: RecordItem[];
  runs: Run[];
  segments: Segment[];
  /** The row that says where it breaks, or null. */
  divergence: Item | null;
}

export type RecordItem = Item & { row: Extract<Row, { kind: 'record' }>; stream: Stream };

export interface Run {
  id: string;
  stream: Stream;
  /** Positions of its first and its last record so far. */
  begin: number;
  end: number;
  input: RunInput;
}

/** A stretch of records in one phase. */
export interface Segment {
  phase: Phase;
  begin: RecordItem;
  end: RecordItem;
}

/** All rows in the order of their arrival, indexed by stream and run. Only ever grows. */
export class History {
  readonly items: Item[] = [];
  readonly streams = new Map<string, Stream>();
  readonly nodes: string[] = [];

  append(rows: readonly Row[]): void {
    for (const row of rows) this.#take(row);
  }

  #take(row: Row): void {
    const index = this.items.length;
    if (!this.nodes.includes(row.node)) this.nodes.push(row.node);
    const rest = { index, row, node: row.node, position: -1, run: null };
    if (row.kind === 'note') {
      this.items.push({ ...rest, atMs: row.atMs, stream: null });
      return;
    }
    const stream = this.#streamOf(row);
    if (row.kind === 'divergence') {
      const atMs = (stream.items.at(-1) ?? this.items.at(-1))?.atMs ?? 0;
      stream.divergence = { ...rest, atMs, stream, run: stream.runs.at(-1) ?? null };
      this.items.push(stream.divergence);
      return;
    }
    const item = { ...rest, atMs: row.record.atMs, stream, row } as RecordItem;
    item.position = stream.items.length;
    item.run = runOf(stream, row, item.position);
    this.items.push(item);
    stream.items.push(item);
    extend(stream, item);
  }

  #streamOf({ source, node }: { source: string; node: string }): Stream {
    const key = `${source}\n${node}`;
    const known = this.streams.get(key);
    if (known) return known;
    const stream: Stream = {
      key,
      source,
      node,
      items: [],
      runs: [],
      segments: [],
      divergence: null,
    };
    this.streams.set(key, stream);
    return stream;
  }
}

function runOf(stream: Stream, { record, point }: RecordItem['row'], position: number): Run | null {
  const input = 'input' in record ? record.input : point?.context;
  if (input) stream.runs.push({ id: record.run, stream, begin: position, end: position, input });
  const run = stream.runs.at(-1) ?? null;
  if (run) run.end = position;
  return run;
}

function extend({ segments }: Stream, item: RecordItem): void {
  const phase = phaseOf(item.row.record.state);
  const last = segments.at(-1);
  if (last?.phase === phase && last.end.run === item.run) last.end = item;
  else segments.push({ phase, begin: item, end: item });
}

export function isRecordItem(item: Item): item is RecordItem {
  return item.row.kind === 'record';
}

/** '' for the beginning of a run, and for what is no event. */
export function typeOf({ row }: Item): string {
  return row.kind === 'record' && 'event' in row.record ? row.record.event.type : '';
}

/** What a row is called: its event's type, or what it is instead. */
export function labelOf(item: Item): string {
  if (item.row.kind === 'note') return 'note';
  if (item.row.kind === 'divergence') return 'divergence';
  return typeOf(item) || 'run begins';
}

/** The state that a record led to; '' for a remark. */
export function stateOf({ row }: Item): string {
  if (row.kind === 'record') return row.record.state;
  return row.kind === 'divergence' ? row.state : '';
}

/** The state that a record was in when it came. */
export function stateBefore(item: Item): string {
  if (!isRecordItem(item)) return stateOf(item);
  if ('input' in item.row.record) return 'idle';
  const { point } = item.row;
  if (point) return stateName(point.value);
  return item.stream.items[item.position - 1]?.row.record.state ?? 'unknown';
}
