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
