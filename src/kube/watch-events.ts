import type { Response } from 'undici';
import type { LockObject } from '../../machines/lock.ts';
import { ANSWER_MAX_BYTES, readRows } from './body.ts';
import { lockOf } from './daemonset.ts';
import { ApiError, excerpt } from './errors.ts';

/** What a watch told before it ended. */
export interface Ended {
  reason: string;
  /** Changes that were shown, the deletion included. */
  changes: number;
  /** The version it started from is no longer known. */
  isGone: boolean;
}

export interface WatchListener {
  /** Anything came. */
  heard(): void;
  bookmark(): void;
  changed(lock: LockObject): void;
}

/** Tells the changes until the stream ends, in whatever way. `known` is the version read before. */
export async function readWatch(
  response: Response,
  known: string,
  { heard, bookmark, changed }: WatchListener,
): Promise<Ended> {
  let changes = 0;
  const ended = (reason: string, isGone = false): Ended => ({ reason, changes, isGone });
  try {
    for await (const row of readRows(response, ANSWER_MAX_BYTES, heard)) {
      const { type, object } = (JSON.parse(row) ?? {}) as { type?: unknown; object?: unknown };
      switch (type) {
        case 'ADDED':
        case 'MODIFIED': {
          const lock = lockOf(object);
          if (lock.resourceVersion === known) break;
          changes += 1;
          changed(lock);
          break;
        }
        // Little more than a version: no change of the lock, only a sign of life.
        case 'BOOKMARK':
          bookmark();
          break;
        case 'DELETED':
          changes += 1;
          return ended('the DaemonSet was deleted');
        case 'ERROR':
          return refused(object, ended);
        default:
          return ended(`not an event of a watch: ${excerpt(row)}`);
      }
    }
    return ended('the server closed the watch');
  } catch (error) {
    return ended(error instanceof ApiError ? error.message : `the stream broke: ${text(error)}`);
  }
}

function refused(object: unknown, ended: (reason: string, isGone: boolean) => Ended): Ended {
  const { message, code } = (object ?? {}) as { message?: unknown; code?: unknown };
  const reason = typeof message === 'string' ? message : 'an error without a message';
  return ended(reason, code === 410);
}

function text(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
