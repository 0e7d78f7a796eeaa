import { type Follower, replayJournal } from '../trace/replay-journal.ts';
import type { History } from './history.ts';
import type { Row } from './rows.ts';

/**
 * The rows of a journal or a JSON log. Where its lines name several nodes, each is a source of its
 * own, `NAME (NODE)`.
 */
export function journalRows(name: string, text: string): History {
  const rows: Row[] = [];
  /** By what the lines call a node; '' in a journal, which calls it only by its runs' input. */
  const nodes = new Map<string, string>();
  const follower: Follower = {
    taken(label, record, point) {
      const input = 'input' in record ? record.input : point?.context;
      if (!nodes.get(label)) nodes.set(label, input?.node ?? label);
      const row: Row = { kind: 'record', source: label, node: label, record };
      rows.push(point === null ? row : { ...row, point });
    },
    passed(label, value) {
      const { time, msg } = (value ?? {}) as { time?: unknown; msg?: unknown };
      const atMs = Date.parse(String(time));
      if (typeof msg !== 'string' || Number.isNaN(atMs)) return;
      rows.push({ kind: 'note', node: label, atMs, text: msg });
    },
    diverged(label, { lineNumber: line, state, message }) {
      if (!nodes.has(label)) nodes.set(label, label);
      rows.push({ kind: 'divergence', source: label, node: label, line, state, message });
    },
  };
  const { runs } = replayJournal(text, follower);
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
