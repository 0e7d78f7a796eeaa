import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

/** More lines than this are kept on disk only: a history is for people. */
export const MAX_LINES = 500;
const CHUNK_BYTES = 65_536;

/** Reads what was appended to a file since the last call, line by line. */
export interface Follower {
  /** New whole lines; with `atEnd` also a last one without its newline. */
  read(atEnd: boolean): string[];
}

/**
 * Follows a file that another process writes: it may not be there yet, and may be begun anew.
 * Gives at most MAX_LINES lines, then one that says so.
 */
export function followFile(path: string): Follower {
  let offset = 0;
  let rest = '';
  let given = 0;
  let decoder = new StringDecoder('utf8');

  const appended = (): string => {
    if (!existsSync(path)) return '';
    const fd = openSync(path, 'r');
    try {
      const { size } = fstatSync(fd);
      if (size < offset) {
        offset = 0;
        rest = '';
        decoder = new StringDecoder('utf8');
      }
      let text = '';
      while (offset < size) {
        const bytes = Buffer.alloc(Math.min(CHUNK_BYTES, size - offset));
        const length = readSync(fd, bytes, 0, bytes.length, offset);
        if (length === 0) break;
        offset += length;
        text += decoder.write(bytes.subarray(0, length));
      }
      return text;
    } finally {
      closeSync(fd);
    }
  };

  return {
    read(atEnd) {
      // A progress bar's carriage return ends a line too; only its last state matters.
      const lines = `${rest}${appended()}`.split(/\r?\n|\r/);
      rest = lines.pop() ?? '';
      if (atEnd && rest !== '') {
        lines.push(rest);
        rest = '';
      }
      return bounded(lines.filter((line) => line.trim() !== ''));
    },
  };

  function bounded(lines: string[]): string[] {
    const room = Math.max(0, MAX_LINES - given);
    const isCut = lines.length > room && given <= MAX_LINES;
    given += lines.length;
    const kept = lines.slice(0, room);
    return isCut ? [...kept, `(more output in ${path})`] : kept;
  }
}
