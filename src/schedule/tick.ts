import type { Schedule } from './schedule.ts';

/** Without a window a tick that is noticed later than this is missed. */
export const LATE_WITHOUT_WINDOW_MS = 10 * 60_000;

/** A sleep of the ticker, by the wall clock. */
export interface Sleep {
  fromMs: number;
  /** How long the ticker meant to sleep. */
  forMs: number;
  /** When it woke; less than `fromMs` where the clock was set back. */
  untilMs: number;
}

/**
 * The tick that came during a sleep, or null. Of several (the clock was set forward) only the last
 * one counts. `lastMs` is the tick delivered last: it does not come again, although a clock that is
 * set back over it shows its time once more. A clock set back over more than one tick was wrong
 * before, and what it made tick counts for nothing.
 */
export function tickIn(schedule: Schedule, sleep: Sleep, lastMs: number | null): number | null {
  const { fromMs, forMs, untilMs } = sleep;
  const tickMs = schedule.previous(untilMs);
  if (tickMs === lastMs) return null;
  if (untilMs >= fromMs) return tickMs > fromMs ? tickMs : null;
  // Set back at some moment of the sleep: the new time may have shown all of it, or nothing.
  return tickMs > untilMs - forMs && schedule.next(untilMs) !== lastMs ? tickMs : null;
}

/** The tick to wait for; see tickIn for `lastMs`. */
export function upcoming(schedule: Schedule, nowMs: number, lastMs: number | null): number {
  const tickMs = schedule.next(nowMs);
  return tickMs === lastMs ? schedule.next(tickMs) : tickMs;
}

export type Verdict = 'run' | 'busy' | 'missed';

/** What becomes of a tick. `windowMs` 0: no window. */
export function judge(lateMs: number, windowMs: number, isBusy: boolean): Verdict {
  if (isBusy) return 'busy';
  const limitMs = windowMs > 0 ? windowMs : LATE_WITHOUT_WINDOW_MS;
  return lateMs < limitMs ? 'run' : 'missed';
}
