import type { RunClock } from '../journal/live.ts';

/** Waits, or until the signal is aborted. */
export function pause(clock: RunClock, delayMs: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) return resolve();
    const end = () => {
      clock.clearTimeout(timer);
      stop.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimeout(end, delayMs);
    stop.addEventListener('abort', end);
  });
}
