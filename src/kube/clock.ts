/** What a watch's limits are measured by. */
export interface WatchClock {
  nowMs(): number;
  setTimeout(run: () => void, delayMs: number): unknown;
  clearTimeout(id: unknown): void;
}

export const REAL_CLOCK: WatchClock = {
  nowMs: () => performance.now(),
  setTimeout: (run, delayMs) => setTimeout(run, delayMs),
  clearTimeout: (id) => clearTimeout(id as NodeJS.Timeout),
};

/** The same with the time as people and the API have it: ms since the epoch. */
export const WALL_CLOCK: WatchClock = { ...REAL_CLOCK, nowMs: Date.now };

/** Resolves after `pauseMs`, or as soon as `signal` is aborted. */
export function pause(
  pauseMs: number,
  signal: AbortSignal,
  clock: WatchClock = REAL_CLOCK,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimeout(end, pauseMs);
    signal.addEventListener('abort', end);
  });
}
