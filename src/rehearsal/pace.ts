import { setTimeout as sleep } from 'node:timers/promises';

/** How virtual time passes in real time, and whether it does. */
export interface Pace {
  /** Waits for the real moment of a virtual one; false where the signal came first. */
  reach(virtualMs: number, signal: AbortSignal): Promise<boolean>;
  pause(): void;
  play(): void;
  /** Passes from timer to timer at once, until a record comes, and rests there. */
  step(): void;
  isPaused(): boolean;
  /** A record came: a step is over. */
  recorded(): void;
}

/** `speed`: virtual ms in a real one; 0 is as fast as possible. `startMs`: in virtual time. */
export function createPace(startMs: number, speed: number): Pace {
  // One real moment and the virtual one that belongs to it.
  let real: number | null = null;
  let virtualMs = startMs;
  let mode: 'playing' | 'paused' | 'stepping' = 'playing';
  let changed = new AbortController();

  /** Where time is now, from which it goes on in another way. */
  const settle = () => {
    if (mode === 'playing' && real !== null) virtualMs += (performance.now() - real) * speed;
    real = performance.now();
  };
  const become = (next: typeof mode) => {
    settle();
    mode = next;
    changed.abort();
    changed = new AbortController();
  };
  const waitMs = (dueMs: number): number | undefined => {
    if (mode === 'paused') return undefined;
    if (mode === 'stepping' || speed === 0) return 0;
    return (real ?? 0) + (dueMs - virtualMs) / speed - performance.now();
  };
  return {
    async reach(dueMs, signal) {
      real ??= performance.now();
      while (!signal.aborted) {
        const ms = waitMs(dueMs);
        if (ms !== undefined && ms < 1) {
          if (mode === 'stepping') virtualMs = dueMs;
          return true;
        }
        await rest(ms, AbortSignal.any([signal, changed.signal]));
      }
      return false;
    },
    pause: () => become('paused'),
    play: () => become('playing'),
    step: () => become('stepping'),
    isPaused: () => mode !== 'playing',
    recorded() {
      if (mode === 'stepping') become('paused');
    },
  };
}

/** Until the time is over, or the signal comes; undefined: until then. */
async function rest(ms: number | undefined, signal: AbortSignal): Promise<void> {
  try {
    await sleep(Math.min(ms ?? LONGEST_MS, LONGEST_MS), undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** No timer is longer; whoever waits looks again. */
const LONGEST_MS = 2 ** 31 - 1;
