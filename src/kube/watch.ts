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
  try {
    const path = watchPath(input, limits.serverTimeoutS);
    const response = await client.open({ method: 'GET', path }, controller.signal);
    const body = Readable.fromWeb(response.body as ReadableStream);
    body.on('data', () => stall.refresh());
    const { reason, events } = await readEvents(body, subscriber);
    if (subscriber.closed) return;
    const message = isStall(controller.signal) ? STALLED : reason;
    const wasShort = events === 0 && performance.now() - openedAtMs < limits.shortMs;
    // An answer of 410 to a version just read would otherwise turn into a loop at full speed.
    subscriber.next(
      wasShort ? { type: 'api.failed', message } : { type: 'lock.watch.ended', message },
    );
  } catch (error) {
    if (error instanceof ApiError && error.code === 410) {
      subscriber.next({ type: 'api.failed', message: error.message, code: 410 });
    } else throw error;
  } finally {
    clearTimeout(stall);
  }
}

function watchPath({ namespace, daemonSet, lock }: LockActorInput, serverTimeoutS: number): string {
  const query = new URLSearchParams({
    watch: 'true',
    fieldSelector: `metadata.name=${daemonSet}`,
    resourceVersion: lock.resourceVersion,
    allowWatchBookmarks: 'true',
    timeoutSeconds: `${serverTimeoutS}`,
  });
  return `/apis/apps/v1/namespaces/${namespace}/daemonsets?${query}`;
}

interface WatchEvent {
  type: string;
  object: V1DaemonSet & { message?: string };
}

/** Emits the changes until the stream ends; says why it ended and how many events came. */
async function readEvents(
  body: Readable,
  subscriber: Subscriber<RunEvent>,
): Promise<{ reason: string; events: number }> {
  let events = 0;
  const rows = createInterface({ input: body, crlfDelay: Number.POSITIVE_INFINITY });
  const failed = new Promise<Error>((resolve) => body.once('error', resolve));
  const iterator = rows[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([iterator.next(), failed]);
    if (next instanceof Error) return { reason: `the stream broke: ${text(next)}`, events };
    if (next.done) return { reason: 'the server closed the watch', events };
    events += 1;
    const ended = onEvent(parse(next.value), subscriber);
    if (ended === null) continue;
    body.destroy();
    // An error in the stream is not a change: it does not count against the loop guard.
    return { reason: ended, events: ended.startsWith('gone') ? 0 : events };
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

/** Handles one event; returns why the watch is over, or null. */
function onEvent({ type, object }: WatchEvent, subscriber: Subscriber<RunEvent>): string | null {
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
      subscriber.next({ type: 'lock.changed', lock: lockOf(object) });
      return null;
    case 'BOOKMARK':
      // Little more than a version: no change of the lock, only a sign of life.
      return null;
    case 'DELETED':
      return 'the DaemonSet was deleted';
    case 'ERROR':
      return `gone: ${object.message ?? 'the version is too old'}`;
    default:
      return `an event of type ${type}`;
  }
}

function text(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}
