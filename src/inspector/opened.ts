import { type Progress, type Reading, readingOf } from './history.ts';

/** A file that is being read. */
export interface Opened {
  name: string;
  /** How many lines it has. */
  lines: number;
  reading: Reading;
}

/** The texts of files by name, each to be read in small steps. */
export function openTexts(files: readonly { name: string; text: string }[]): Opened[] {
  return files.map(({ name, text }, index) => ({
    name,
    lines: countLines(text),
    reading: readingOf(name, text, index),
  }));
}

/** What a person is told while `files[at]` is read: `12,000 of 100,000 lines read`, of all files. */
export function progressText(files: readonly Opened[], at: number, { line }: Progress): string {
  const sum = (some: readonly Opened[]) => some.reduce((total, { lines }) => total + lines, 0);
  return `${count(sum(files.slice(0, at)) + line)} of ${count(sum(files))} lines read`;
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return text.endsWith('\n') ? lines : lines + 1;
}

function count(number: number): string {
  return number.toLocaleString('en');
}
