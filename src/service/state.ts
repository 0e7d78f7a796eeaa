import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type JournalFile, openJournal } from '../journal/file.ts';
import { AlreadyRunning, holdAlone } from './single.ts';

/** The state path cannot be used; the message says what to do. */
export class StateError extends Error {}

/** What is kept in the state path. */
export interface State {
  journal: JournalFile;
  close(): void;
}

export function journalPath(statePath: string): string {
  return join(statePath, 'journal.ndjson');
}

/** The state in `statePath`, for this process alone. Throws StateError where it cannot be used. */
export async function openState(
  statePath: string,
  warn: (message: string) => void,
): Promise<State> {
  try {
    mkdirSync(statePath, { recursive: true });
    const letGo = await holdAlone(join(statePath, 'running'));
    const journal = openJournal(journalPath(statePath), warn);
    const close = () => {
      journal.close();
      letGo();
    };
    return { journal, close };
  } catch (error) {
    throw stateError(statePath, error);
  }
}

function stateError(statePath: string, error: unknown): unknown {
  if (error instanceof AlreadyRunning) {
    return new StateError(
      `--state-path=${statePath}: another host-upgrades is running with it; stop that one first`,
    );
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  return new StateError(
    `--state-path=${statePath}: cannot be written (${code}); give a directory that this program may write and that survives a reboot`,
    { cause: error },
  );
}
