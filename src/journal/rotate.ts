import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { isRecord } from './record.ts';

/** A journal is rotated when a run begins and the file is larger than this. */
export const ROTATE_BYTES = 4 * 1_024 * 1_024;
/** How many rotated files are kept, the newest as `.1`. */
export const KEPT_FILES = 4;

/** Renames `path` to `path.1`, `path.1` to `path.2` …; the oldest one is overwritten. */
export function rotate(path: string): void {
  for (let number = KEPT_FILES; number > 1; number -= 1) {
    const older = `${path}.${number - 1}`;
    if (existsSync(older)) renameSync(older, `${path}.${number}`);
  }
  renameSync(path, `${path}.1`);
  syncFolder(dirname(path));
}

/** The last sequence number of the file rotated last; 0 where there is none. */
export function lastRotatedSeq(path: string): number {
  const rotated = `${path}.1`;
  if (!existsSync(rotated)) return 0;
  const rows = readFileSync(rotated, 'utf8').trimEnd().split('\n');
  try {
    const record: unknown = JSON.parse(rows.at(-1) ?? '');
    return isRecord(record) ? record.seq : 0;
  } catch {
    // Only the numbers would begin again; a damaged old file must not stop the program.
    return 0;
  }
}

/** A new name is only durable once its folder is. */
export function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  fsyncSync(fd);
  closeSync(fd);
}
