import { readFileSync } from 'node:fs';
import { plain } from '../trace/history.ts';
import { UsageError } from './usage.ts';

/** The text of a history; `-`: standard input. Throws UsageError where it cannot be read. */
export function readHistory(file: string): string {
  try {
    return plain(readFileSync(file === '-' ? 0 : file, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_STRING_TOO_LONG') {
      throw new UsageError(`${historyName(file)}: is too large; give an excerpt of at most 500 MB`);
    }
    throw new UsageError(
      `${historyName(file)}: cannot be read (${code}); give a readable log file`,
    );
  }
}

/** How a history is called, as it was named. */
export function historyName(file: string): string {
  return file === '-' ? '<stdin>' : file;
}

export function noHistory(name: string): UsageError {
  return new UsageError(`${name}:1: not a history: no line starts a run`);
}
