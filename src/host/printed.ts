import { WAITING } from './shell.ts';
import { plainText } from './text.ts';

/** How many characters of an output's end are kept in an event. */
export const TAIL_CHARS = 4_096;

/** What was printed after the last wait for another package manager. */
export function lastTry(output: string): string {
  const lines = plainText(output).split('\n');
  return lines.slice(lines.findLastIndex((line) => line.startsWith(WAITING)) + 1).join('\n');
}

/** Each once, in their order: the packages that asked for a reboot repeat themselves. */
export function uniqueLines(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}
