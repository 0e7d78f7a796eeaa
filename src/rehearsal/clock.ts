import type { RunClock } from '../journal/live.ts';
import { RehearsalError } from './errors.ts';
import { createPace, type Pace } from './pace.ts';
import { type Timer, TimerQueue } from './timers.ts';

/**
 * Virtual time. It passes from timer to timer, one timer at a time, and only while nothing is
 * under way: requests travel over real sockets, but all that follows from a timer has happened
 * before the next one fires. So the same timers give the same rollout, however fast the machine.
 */
export interface VirtualClock extends RunClock {
  sleep(delayMs: number): Promise<void>;
  /** Time stands still until the function that is returned gets called. */
  hold(): () => void;
  /** Time stands still until `work` has settled. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Goes on by itself; where it fails, `run` does. */
  background(work: Promise<void>): void;
  /** Lets time pass until `isOver` or the signal's abort. Throws when nothing is left to come. */
  run(isOver: () => boolean, signal: AbortSignal): Promise<void>;
}

/** An answer on loopback that takes this long, in real ms, will not come any more. */
const STUCK_MS = 60_000;

/** `speed`: virtual ms in a real one; 0 is as fast as possible. */
export function createClock(
  startMs: number,
  speed: number,
  pace: Pace = createPace(startMs, speed),
): VirtualClock {
  let nowMs = startMs;
  let order = 0;
  let holds = 0;
  let failure: unknown = null;
  let wake = () => {};
  const timers = new TimerQueue();

  const clock: VirtualClock = {
    nowMs: () => nowMs,
    setTimeout(run, delayMs) {
      order += 1;
      // Whole ms, as times are written in a journal; never early.
      const timer: Timer = { dueMs: nowMs + Math.max(0, Math.ceil(delayMs)), order, run };
      timers.push(timer);
      return timer;
    },
    clearTimeout(id) {
      (id as Timer).run = null;
    },
    sleep: (delayMs) => new Promise((resolve) => clock.setTimeout(resolve, delayMs)),
    hold() {
      holds += 1;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        holds -= 1;
        if (holds === 0) wake();
      };
    },
    async during(work) {
      const release = clock.hold();
      try {
        return await work;
      } finally {
        release();
      }
    },
    background(work) {
      work.catch((error: unknown) => {
        failure = error;
      });
    },
    async run(isOver, signal) {
      const stop = () => wake();
      signal.addEventListener('abort', stop);
      try {
        for (;;) {
          await quiet(signal);
          if (failure !== null) throw failure;
          if (signal.aborted || isOver()) return;
          const timer = timers.pop();
          if (!timer) throw new RehearsalError('it stands still: nothing is left to come');
          if (!(await pace.reach(timer.dueMs, signal))) return;
          nowMs = timer.dueMs;
          timer.run?.();
        }
      } finally {
        signal.removeEventListener('abort', stop);
      }
    },
  };

  /** Resolves when nothing is under way: no hold, and all that had only to be called has been. */
  async function quiet(signal: AbortSignal): Promise<void> {
    do {
      if (holds > 0) await released();
      // Streams and promises pass on what they have before the next turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
    } while (holds > 0 && !signal.aborted);
  }

  function released(): Promise<void> {
    return new Promise((resolve, reject) => {
      const stuck = setTimeout(() => {
        reject(new RehearsalError(`it stands still: ${holds} answers did not arrive`));
      }, STUCK_MS);
      wake = () => {
        clearTimeout(stuck);
        resolve();
      };
    });
  }
  return clock;
}
