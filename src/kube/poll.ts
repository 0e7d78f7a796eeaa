import type { RunEvent } from '../../machines/events.ts';
import { BACKOFF_FIRST_MS, BACKOFF_MAX_MS, type LockActorInput } from '../../machines/setup.ts';
import { failure } from './attempt.ts';
import type { KubeClient } from './client.ts';
import { pause, type WatchClock } from './clock.ts';
import { getLock } from './lock.ts';

export interface Polling {
  client: KubeClient;
  input: LockActorInput;
  clock: WatchClock;
  signal: AbortSignal;
  emit(event: RunEvent): void;
}

/**
 * Reads the lock for `pollMs` where it cannot be watched, with pauses that grow while nothing
 * changes, and tells the changes as a watch does. Returns the event that ends it.
 */
export async function pollLock(
  polling: Polling,
  pollMs: number,
  reason: string,
): Promise<RunEvent> {
  const { client, input, clock, signal, emit } = polling;
  const untilMs = clock.nowMs() + pollMs;
  let version = input.lock.resourceVersion;
  let pauseMs = BACKOFF_FIRST_MS;
  while (!signal.aborted && clock.nowMs() < untilMs) {
    await pause(pauseMs, signal, clock);
    pauseMs = Math.min(pauseMs * 2, BACKOFF_MAX_MS);
    try {
      const lock = await getLock(client, input, signal);
      if (lock.resourceVersion === version) continue;
      version = lock.resourceVersion;
      pauseMs = BACKOFF_FIRST_MS;
      emit({ type: 'lock.changed', lock });
    } catch (error) {
      return failure('Get: ', error);
    }
  }
  return { type: 'lock.watch.ended', message: `read instead of watched, since: ${reason}` };
}
