import type { Schedule } from './schedule.ts';
import { judge, tickIn, upcoming } from './tick.ts';

/** A longer sleep would not notice that the clock was set, and above 2^31-1 ms would end at once. */
export const MAX_SLEEP_MS = 60_000;

/** Wall time, ms since the epoch, and timers. */
export interface Clock {
  nowMs(): number;
  setTimeout(run: () => void, delayMs: number): unknown;
  clearTimeout(timer: unknown): void;
}

export interface TickerOptions {
  schedule: Schedule;
  clock: Clock;
  /** A tick noticed when its window is over is missed; 0: no window. */
  windowMs: number;
  /** Whether a run is on. */
  isBusy(): boolean;
  onTick(tickMs: number): void;
  onBusy(tickMs: number): void;
  /** The tick was noticed `lateMs` after its time: the clock was set forward, or the process stood still. */
  onMissed(tickMs: number, lateMs: number): void;
}

export interface Ticker {
  /** The tick that it waits for. */
  nextMs(): number;
  /** Nothing is called any more, and no timer is left. */
  stop(): void;
}

/** Calls back at each tick of the schedule from now on, by the wall clock and however it is set. */
export function startTicker(options: TickerOptions): Ticker {
  const { schedule, clock, windowMs } = options;
  let lastMs: number | null = null;
  let timer: unknown;

  // From the last look at the clock: what comes after it belongs to this sleep.
  const sleep = (fromMs: number) => {
    const aheadMs = upcoming(schedule, fromMs, lastMs) - fromMs;
    const forMs = Math.min(aheadMs, MAX_SLEEP_MS);
    timer = clock.setTimeout(() => wake(fromMs, forMs), forMs);
  };
  const wake = (fromMs: number, forMs: number) => {
    const untilMs = clock.nowMs();
    const tickMs = tickIn(schedule, { fromMs, forMs, untilMs }, lastMs);
    if (tickMs === null) return sleep(untilMs);
    const lateMs = untilMs - tickMs;
    const verdict = judge(lateMs, windowMs, options.isBusy());
    // A missed tick may still come, when the clock was set forward by mistake and is set back.
    if (verdict !== 'missed') lastMs = tickMs;
    // Ahead of the callback, which may stop the ticker or throw.
    sleep(untilMs);
    if (verdict === 'run') options.onTick(tickMs);
    if (verdict === 'busy') options.onBusy(tickMs);
    if (verdict === 'missed') options.onMissed(tickMs, lateMs);
  };
  sleep(clock.nowMs());
  return {
    nextMs: () => upcoming(schedule, clock.nowMs(), lastMs),
    stop: () => clock.clearTimeout(timer),
  };
}
