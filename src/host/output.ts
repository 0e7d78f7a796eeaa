import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { plainLine } from './text.ts';

/** More and longer lines than these are kept on disk only: a history is for people. */
export const MAX_LINES = 500;
export const MAX_LINE_CHARS = 1_000;
const CHUNK_BYTES = 65_536;

/** Reads what was appended to a file since the last call, line by line. */
export interface Follower {
  /** New whole lines; with `atEnd` also a last one without its newline. */
  read(atEnd: boolean): string[];
}

/**
 * Follows a file that another process appends to; it may not be there yet. Gives at most MAX_LINES
 * lines, then one that says so. Bytes that are no UTF-8 become U+FFFD.
 */
export function followFile(path: string): Follower {
  const decoder = new StringDecoder('utf8');
  let offset = 0;
  let rest = '';
  let given = 0;

  return {
    read(atEnd) {
      const result: string[] = [];
      const give = (line: string) => {
        const text = shortened(plainLine(line));
        if (text.trim() === '' || given > MAX_LINES) return;
        given += 1;
        result.push(given > MAX_LINES ? `(more output in ${path})` : text);
      };
      for (const text of appended()) {
        const lines = `${rest}${text}`.split('\n');
        rest = pending(lines.pop() ?? '');
        for (const line of lines) give(line);
      }
      if (atEnd) {
        give(rest);
        rest = '';
      }
      return result;
    },
  };

  /** A chunk at a time: the file may be larger than the memory. */
  function* appended(): Generator<string> {
    if (given > MAX_LINES || !existsSync(path)) return;
    const fd = openSync(path, 'r');
    try {
      const { size } = fstatSync(fd);
      while (offset < size && given <= MAX_LINES) {
        const bytes = Buffer.alloc(Math.min(CHUNK_BYTES, size - offset));
        const length = readSync(fd, bytes, 0, bytes.length, offset);
        if (length === 0) return;
        offset += length;
        yield decoder.write(bytes.subarray(0, length));
      }
    } finally {
      closeSync(fd);
    }
  }
}

/** What is kept of a line that has not ended yet: of a progress bar its last state. */
function pending(line: string): string {
  const last = line.slice(line.lastIndexOf('\r', line.length - 2) + 1);
  return last.slice(0, MAX_LINE_CHARS + 1);
}

function shortened(line: string): string {
  return line.length <= MAX_LINE_CHARS ? line : `${line.slice(0, MAX_LINE_CHARS)}…`;
}

/** Of a longer file, its beginning and its end are read. */
const HEAD_BYTES = 262_144;
const TAIL_BYTES = 786_432;

/** A file's text, or '' where there is none; of a huge one its beginning and end. */
export function readOutput(path: string): string {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return '';
  const fd = openSync(path, 'r');
  const part = (from: number, to: number) => {
    const bytes = Buffer.alloc(to - from);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, from));
  };
  try {
    const left = size - HEAD_BYTES - TAIL_BYTES;
    if (left <= 0) return part(0, size);
    const note = `\n(${left} bytes left out)\n`;
    return part(0, HEAD_BYTES) + note + part(size - TAIL_BYTES, size);
  } finally {
    closeSync(fd);
  }
}
