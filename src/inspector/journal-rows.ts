import { readJournal } from '../trace/journal-lines.ts';
import type { Reading } from './history.ts';
import type { Row } from './rows.ts';

/**
 * The rows of a journal or a JSON log, a line in a step. Where its lines name several nodes, each is
 * a source of its own, `NAME (NODE)`. Nothing is folded: whoever does finds where the machine
 * refuses a record, and the rows of the file end there.
 */
export function* journalRows(name: string, text: string, file: number): Reading {
  const rows: Row[] = [];
  /** By what the lines call a node; '' in a journal, which calls it only by its runs' input. */
  const nodes = new Map<string, string>();
  let runs = 0;
  for (const one of readJournal(text)) {
    const { node: label, lineNumber: line } = one;
    if (one.kind === 'record') {
      const { record, point } = one;
      if (!nodes.get(label)) {
        const input = 'input' in record ? record.input : point?.context;
        nodes.set(label, input?.node ?? label);
      }
      if ('input' in record) runs += 1;
      const row: Row = { kind: 'record', source: label, node: label, file, line, record };
      rows.push(point === null ? row : { ...row, point });
    } else if (one.kind === 'other') {
      if (one.resumption) runs += 1;
      const note = noteOf(one.value);
      if (note) rows.push({ kind: 'note', node: label, file, line, ...note });
    } else if (one.kind === 'break') {
      if (!nodes.has(label)) nodes.set(label, label);
      const { state, message } = one;
      rows.push({ kind: 'divergence', source: label, node: label, file, line, state, message });
    }
    yield { line, isHistory: runs > 0 || one.kind === 'break' };
  }
  const sourceOf = (label: string) => (nodes.size > 1 ? `${name} (${label || '-'})` : name);
  // Only now all is known that the rows are called by.
  for (const row of rows) {
    const label = row.node;
    row.node = nodes.get(label) ?? label;
    if (row.kind !== 'note') row.source = sourceOf(label);
  }
  const sources = [...nodes].map(([label, node]) => ({ name: sourceOf(label), node }));
  return { rows, sources, runs };
}

/** A line that another part of the program has written, as long as it tells its time. */
function noteOf(value: unknown): { atMs: number; text: string } | null {
  const { time, msg } = (value ?? {}) as { time?: unknown; msg?: unknown };
  if (typeof msg !== 'string') return null;
  const atMs = Date.parse(String(time));
  return Number.isNaN(atMs) ? null : { atMs, text: msg };
}
