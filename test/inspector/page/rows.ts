import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Row } from '../../../src/inspector/rows.ts';
import type { JournalRecord } from '../../../src/journal/record.ts';

const folder = fileURLToPath(new URL('../../histories/', import.meta.url));

export const HISTORIES = globSync('*.ndjson', { cwd: folder }).sort();

export function textOf(history: string): string {
  return readFileSync(`${folder}${history}`, 'utf8');
}

export function recordsOf(history: string): JournalRecord[] {
  return textOf(history)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JournalRecord);
}

/** The rows of a history as a server would send them. */
export function rowsOf(history: string): RecordRow[] {
  const records = recordsOf(history);
  const [first] = records;
  const node = first && 'input' in first ? first.input.node : '';
  return records.map((record) => ({ kind: 'record', source: history, node, record }));
}

export type RecordRow = Extract<Row, { kind: 'record' }>;

/** `count` records of one node: all histories, over and over, each after the one before. */
export function manyRows(count: number): RecordRow[] {
  const rounds = HISTORIES.map(recordsOf);
  const rows: RecordRow[] = [];
  let atMs = Date.UTC(2026, 11, 1);
  while (rows.length < count) {
    for (const records of rounds) {
      const shiftMs = atMs - (records[0]?.atMs ?? 0);
      const run = `run-${rows.length}`;
      for (const record of records) {
        const seq = rows.length + 1;
        const moved = { ...record, seq, atMs: record.atMs + shiftMs, run };
        rows.push({ kind: 'record', source: 'many', node: 'many', record: moved });
        atMs = moved.atMs + 1_000;
        if (rows.length === count) return rows;
      }
    }
  }
  return rows;
}
