import { plain } from '../../trace/history.ts';
import { type History, isHistory } from '../history.ts';
import { mergeSteps } from '../merge.ts';
import { openTexts, progressText } from '../opened.ts';
import type { Row, Source } from '../rows.ts';
import { inSlices, type Turns } from '../slices.ts';

export interface OpenedFiles {
  rows: Row[];
  sources: Source['sources'];
  title: string;
}

/**
 * Dropped or chosen files on one axis of time, read in slices; throws, in one line, where one is no
 * history. `onProgress` hears how far it is.
 */
export async function openFiles(
  files: readonly { name: string; text: string }[],
  turns: Turns,
  onProgress: (text: string) => void,
): Promise<OpenedFiles> {
  const opened = openTexts(named(files).map(({ name, text }) => ({ name, text: plain(text) })));
  const histories: History[] = [];
  for (const [at, { name, reading }] of opened.entries()) {
    const history = await inSlices(reading, turns, (step) =>
      onProgress(progressText(opened, at, step)),
    );
    if (!isHistory(history)) throw new Error(`${name}: not a history: no line starts a run`);
    histories.push(history);
  }
  return {
    rows: await inSlices(mergeSteps(histories.map(({ rows }) => rows)), turns),
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
