import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { V1DaemonSet } from '@kubernetes/client-node';
import { Observable, type Subscriber } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import type { LockActorInput } from '../../machines/run.ts';
import type { KubeClient } from './client.ts';
import { lockOf } from './daemonset.ts';
import { ApiError } from './errors.ts';
import { failure } from './lock.ts';

export interface WatchLimits {
  /** The server ends the watch after this; a quiet watch costs a get and a watch each time. */
  serverTimeoutS: number;
  /** No byte for this long, although a bookmark comes about every minute: the stream is dead. */
  stallMs: number;
  /** Ending sooner than this without a single event counts as a failure, which backs off. */
  shortMs: number;
}

export const WATCH_LIMITS: WatchLimits = { serverTimeoutS: 900, stallMs: 80_000, shortMs: 1_000 };

/**
 * Watches the DaemonSet from the version last read: lock.changed for each change, until
 * lock.watch.ended (timeout, 410, closed, stalled, deleted) or api.failed (it could not be opened,
 * or ended at once). The stream never errors; unsubscribing closes the connection at any time.
 */
export function watchLock(
  client: KubeClient,
  input: LockActorInput,
  limits: WatchLimits = WATCH_LIMITS,
): Observable<RunEvent> {
  return new Observable((subscriber) => {
    const controller = new AbortController();
    follow(client, input, limits, controller, subscriber).then(
      () => subscriber.complete(),
      (error: unknown) => {
        if (controller.signal.aborted && !isStall(controller.signal)) return;
        subscriber.next(failure('Watch: ', error));
        subscriber.complete();
      },
    );
    return () => controller.abort();
  });
}

const STALLED = 'the connection went silent';

function isStall(signal: AbortSignal): boolean {
  return signal.reason instanceof Error && signal.reason.message === STALLED;
}

async function follow(
  client: KubeClient,
  input: LockActorInput,
  limits: WatchLimits,
  controller: AbortController,
  subscriber: Subscriber<RunEvent>,
): Promise<void> {
  const openedAtMs = performance.now();
  const stall = setTimeout(() => controller.abort(new Error(STALLED)), limits.stallMs);
  const attempt = async (version: string): Promise<Ended> => {
    const path = watchPath(input, version, limits.serverTimeoutS);
    const response = await client.open({ method: 'GET', path }, controller.signal);
    const body = Readable.fromWeb(response.body as ReadableStream);
    body.on('data', () => stall.refresh());
    return readEvents(body, input.lock.resourceVersion, subscriber);
  };
  try {
    let ended = await attempt(input.lock.resourceVersion).catch(goneByStatus);
    // A restarted API server only knows versions since its start, and the object may be older:
    // then every watch from the version just read is gone. From "0" on it shows the object first.
    if (ended.isGone && ended.changes === 0) ended = await attempt('0');
    if (subscriber.closed) return;
    const message = isStall(controller.signal) ? STALLED : ended.reason;
    // What ends at once, ends at once again: it backs off instead of turning into a loop.
    const wasShort = ended.changes === 0 && performance.now() - openedAtMs < limits.shortMs;
    subscriber.next(
      wasShort ? { type: 'api.failed', message } : { type: 'lock.watch.ended', message },
    );
  } finally {
    clearTimeout(stall);
  }
}

/** How a watch ended, and after how many changes. */
interface Ended {
  reason: string;
  changes: number;
  isGone: boolean;
}

/** Some servers refuse an old version before the stream begins. */
function goneByStatus(error: unknown): Ended {
  if (error instanceof ApiError && error.code === 410) {
    return { reason: error.message, changes: 0, isGone: true };
  }
  throw error;
}

function watchPath(
  { namespace, daemonSet }: LockActorInput,
  resourceVersion: string,
  serverTimeoutS: number,
): string {
  const query = new URLSearchParams({
    watch: 'true',
    fieldSelector: `metadata.name=${daemonSet}`,
    resourceVersion,
    allowWatchBookmarks: 'true',
    timeoutSeconds: `${serverTimeoutS}`,
  });
  return `/apis/apps/v1/namespaces/${namespace}/daemonsets?${query}`;
}

interface WatchEvent {
  type: string;
  object: V1DaemonSet & { message?: string; code?: number };
}

/** Emits the changes until the stream ends. `known` is the version that was read before. */
async function readEvents(
  body: Readable,
  known: string,
  subscriber: Subscriber<RunEvent>,
): Promise<Ended> {
  let changes = 0;
  const rows = createInterface({ input: body, crlfDelay: Number.POSITIVE_INFINITY });
  // A stream that breaks shows in the body or in the rows, whichever reads it first.
  const failed = new Promise<Error>((resolve) => body.once('error', resolve));
  const iterator = rows[Symbol.asyncIterator]();
  const ended = (reason: string, isGone = false): Ended => ({ reason, changes, isGone });
  for (;;) {
    const row = iterator.next().catch((error: Error) => error);
    const next = await Promise.race([row, failed]);
    if (next instanceof Error) return ended(`the stream broke: ${text(next)}`);
    if (next.done) return ended('the server closed the watch');
    const { type, object } = parse(next.value);
    switch (type) {
      case 'ADDED':
      case 'MODIFIED': {
        const lock = lockOf(object);
        if (lock.resourceVersion === known) break;
        changes += 1;
        subscriber.next({ type: 'lock.changed', lock });
        break;
      }
      // Little more than a version: no change of the lock, only a sign of life.
      case 'BOOKMARK':
        break;
      case 'DELETED':
        changes += 1;
        body.destroy();
        return ended('the DaemonSet was deleted');
      case 'ERROR':
        body.destroy();
        return ended(object.message ?? 'an error without a message', object.code === 410);
      default:
        body.destroy();
        return ended(`an event of type ${type}`);
    }
  }
}

/** A cut line is the end of a broken stream, not an event. */
function parse(row: string): WatchEvent {
  try {
    return JSON.parse(row) as WatchEvent;
  } catch {
    return { type: 'BROKEN', object: {} };
  }
}

function text(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}
