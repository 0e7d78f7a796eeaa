import type { Clock } from '../../src/schedule/ticker.ts';

interface Timer {
  dueMs: number;
  run: () => void;
}

/** A clock whose wall time can be set while its timers go on, as on a machine under NTP. */
export class VirtualClock implements Clock {
  readonly timers = new Set<Timer>();
  /** The longest delay that was asked for. */
  longestMs = 0;
  /** What each look at the clock costs. */
  costMs = 0;
  #elapsedMs = 0;
  #offsetMs: number;

  constructor(wallMs: number | string) {
    this.#offsetMs = typeof wallMs === 'string' ? Date.parse(wallMs) : wallMs;
  }

  nowMs(): number {
    this.#elapsedMs += this.costMs;
    return this.#offsetMs + this.#elapsedMs;
  }

  setTimeout(run: () => void, delayMs: number): Timer {
    this.longestMs = Math.max(this.longestMs, delayMs);
    const timer = { dueMs: this.#elapsedMs + delayMs, run };
    this.timers.add(timer);
    return timer;
  }

  clearTimeout(timer: unknown): void {
    this.timers.delete(timer as Timer);
  }

  /** Sets the wall clock, as NTP does. */
  setBy(ms: number): void {
    this.#offsetMs += ms;
  }

  /** Lets time pass and runs the timers that are due. */
  pass(ms: number): void {
    const endMs = this.#elapsedMs + ms;
    for (;;) {
      const [timer] = [...this.timers].sort((a, b) => a.dueMs - b.dueMs);
      if (!timer || timer.dueMs > endMs) break;
      this.timers.delete(timer);
      this.#elapsedMs = Math.max(this.#elapsedMs, timer.dueMs);
      timer.run();
    }
    this.#elapsedMs = Math.max(this.#elapsedMs, endMs);
  }

  /** Stands still, as a stopped process does: timers that came due run at the end. */
  stall(ms: number): void {
    this.#elapsedMs += ms;
    this.pass(0);
  }
}
