import { Observable } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import type { LockObject } from '../../machines/lock.ts';
import type { LockActorInput } from '../../machines/setup.ts';
import { childController } from './abort.ts';
import { failure } from './attempt.ts';
import type { KubeClient } from './client.ts';
import { REAL_CLOCK, type WatchClock } from './clock.ts';
import { ApiError } from './errors.ts';
import { getLock } from './lock.ts';
import { watchPath } from './paths.ts';
import { pollLock } from './poll.ts';
import { startPulse } from './pulse.ts';
import { type Ended, readWatch } from './watch-events.ts';

export interface WatchLimits {
  /** The server ends the watch after this; a quiet watch costs a get and a watch each time. */
  serverTimeoutS: number;
  /** No byte for this long: a read shows whether the watch is dead or only quiet. */
  stallMs: number;
  /** For that read. With `stallMs` the time after which a server that is dead is noticed. */
  probeMs: number;
  /** Ending sooner than this without a single event counts as a failure, which backs off. */
  shortMs: number;
  /** How long the lock is read instead, once watches have failed twice running. */
  pollMs: number;
}

export const WATCH_LIMITS: WatchLimits = {
  serverTimeoutS: 1_800,
  stallMs: 75_000,
  probeMs: 10_000,
  shortMs: 2_000,
  pollMs: 300_000,
};

/** What one watch leaves to the next: how many in a row failed, or ended at once. */
export interface WatchHistory {
  failures: number;
}

/**
 * Watches the DaemonSet from the version last read: lock.changed for each change, until
 * lock.watch.ended (timeout, 410, closed, stalled, deleted) or api.failed (it could not be opened,
 * or ended at once). The stream never errors; unsubscribing closes the connection at any time.
 */
export function watchLock(
  client: KubeClient,
  input: LockActorInput,
  limits: WatchLimits = WATCH_LIMITS,
  clock: WatchClock = REAL_CLOCK,
  history: WatchHistory = { failures: 0 },
): Observable<RunEvent> {
  return new Observable((subscriber) => {
    const controller = new AbortController();
    const emit = (event: RunEvent) => subscriber.next(event);
    const watching = { client, input, limits, clock, signal: controller.signal, emit };
    follow(watching, history).then((event) => {
      emit(event);
      subscriber.complete();
    });
    return () => controller.abort();
  });
}

interface Watching {
  client: KubeClient;
  input: LockActorInput;
  limits: WatchLimits;
  clock: WatchClock;
  /** Nobody listens any more. */
  signal: AbortSignal;
  emit(event: RunEvent): void;
}

const STALLED = 'the connection went silent';

/** Returns the event that ends it. */
async function follow(watching: Watching, history: WatchHistory): Promise<RunEvent> {
  const event = await watchOnce(watching).catch((error: unknown) => failure('Watch: ', error));
  if (event.type !== 'api.failed') {
    history.failures = 0;
    return event;
  }
  history.failures += 1;
  // The read before a watch succeeds each time, so that the machine's backoff does not grow.
  if (history.failures === 1) return event;
  return pollLock(watching, watching.limits.pollMs, event.message);
}

async function watchOnce(watching: Watching): Promise<RunEvent> {
  const { client, input, limits, clock, emit } = watching;
  const { controller, release } = childController(watching.signal);
  const { namespace, daemonSet, lock } = input;
  const openedAtMs = clock.nowMs();
  let version = lock.resourceVersion;
  /** Without an answer it is as well dead: the read that follows its end tells why. */
  const isUnchanged = () =>
    getLock(client, input, controller.signal, limits.probeMs).then(
      ({ resourceVersion }) => resourceVersion === version,
      () => false,
    );
  const die = () => controller.abort(new Error(STALLED));
  const pulse = startPulse(limits.stallMs, clock, isUnchanged, die);
  const changed = (next: LockObject) => {
    version = next.resourceVersion;
    emit({ type: 'lock.changed', lock: next });
  };
  const attempt = async (from: string): Promise<Ended> => {
    const path = watchPath(namespace, daemonSet, from, limits.serverTimeoutS);
    const response = await client.open({ method: 'GET', path }, controller.signal);
    pulse.opened();
    return readWatch(response, lock.resourceVersion, { ...pulse, changed });
  };
  try {
    let ended = await attempt(version).catch(goneByStatus);
    // A restarted API server only knows versions since its start, and the object may be older:
    // then every watch from the version just read is gone. From "0" on it shows the object first.
    if (ended.isGone && ended.changes === 0) ended = await attempt('0');
    if (pulse.isSilent()) return { type: 'lock.watch.ended', message: STALLED };
    // What ends at once, ends at once again: it backs off instead of turning into a loop.
    const wasShort = ended.changes === 0 && clock.nowMs() - openedAtMs < limits.shortMs;
    return { type: wasShort ? 'api.failed' : 'lock.watch.ended', message: ended.reason };
  } finally {
    pulse.stop();
    release();
  }
}

/** Some servers refuse an old version before the stream begins. */
function goneByStatus(error: unknown): Ended {
  if (error instanceof ApiError && error.code === 410) {
    return { reason: error.message, changes: 0, isGone: true };
  }
  throw error;
}
