import { plain } from '../../trace/history.ts';
import { historyOf } from '../history.ts';
import { mergeRows } from '../merge.ts';
import type { Row, Source } from '../rows.ts';

export interface OpenedFiles {
  rows: Row[];
  sources: Source['sources'];
  title: string;
}

/** Dropped or chosen files on one axis of time; throws, in one line, where one is no history. */
export function openFiles(files: readonly { name: string; text: string }[]): OpenedFiles {
  const histories = named(files).map(({ name, text }) => {
    const history = historyOf(name, plain(text));
    const isHistory = history.runs > 0 || history.rows.some(({ kind }) => kind === 'divergence');
    if (!isHistory) throw new Error(`${name}: not a history: no line starts a run`);
    return history;
  });
  return {
    rows: mergeRows(histories.map(({ rows }) => rows)),
    sources: histories.flatMap(({ sources }) => sources),
    title: files.map(({ name }) => name).join(', '),
  };
}

/** Files of the same name out of several folders are told apart by a number. */
function named<File extends { name: string }>(files: readonly File[]): File[] {
  const counts = new Map<string, number>();
  return files.map((file) => {
    const count = (counts.get(file.name) ?? 0) + 1;
    counts.set(file.name, count);
    return count === 1 ? file : { ...file, name: `${file.name} (${count})` };
  });
}
