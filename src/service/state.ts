import { join } from 'node:path';
import { type JournalFile, openJournal } from '../journal/file.ts';

/** The state path cannot be used; the message says what to do. */
export class StateError extends Error {}

/** The journal in `statePath`. Throws StateError where it cannot be read or written. */
export function openState(statePath: string, warn: (message: string) => void): JournalFile {
  try {
    return openJournal(join(statePath, 'journal.ndjson'), warn);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new StateError(
      `--state-path=${statePath}: cannot be written (${code}); give a directory that this program may write and that survives a reboot`,
    );
  }
}
