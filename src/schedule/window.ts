import { formatDuration, parseDuration } from './duration.ts';
import type { Schedule } from './schedule.ts';

/** Reads --schedule-window as ms; 0: no window. Throws a one-line Error. */
export function parseWindow(text: string): number {
  const windowMs = parseDuration(text);
  if (windowMs >= 0) return windowMs;
  throw new Error(`the window ${text} is negative; use 0 for no window`);
}

/**
 * The end of the window that opens with a tick; null: there is none. A window is as long in real
 * time at a clock change as on any other day: 4h from 01:00 may end at 06:00.
 */
export function deadlineOf(tickMs: number, windowMs: number): number | null {
  return windowMs === 0 ? null : tickMs + windowMs;
}

/** The tick whose window is open, or null. Without a window none is ever open. */
export function openWindow(schedule: Schedule, windowMs: number, atMs: number): number | null {
  const tickMs = schedule.previous(atMs);
  return atMs < tickMs + windowMs ? tickMs : null;
}

const MAX_TICKS = 2_000;
const MAX_SPAN_MS = 10 * 366 * 86_400_000;
/** No cron expression ticks faster. */
const MINUTE_MS = 60_000;

/** The shortest time between two of the next 2 000 ticks, at most ten years ahead. */
export function shortestPeriodMs(schedule: Schedule, fromMs: number): number {
  let tickMs = schedule.next(fromMs);
  let shortestMs = Number.POSITIVE_INFINITY;
  for (let count = 1; count < MAX_TICKS && shortestMs > MINUTE_MS; count += 1) {
    const nextMs = schedule.next(tickMs);
    shortestMs = Math.min(shortestMs, nextMs - tickMs);
    if (nextMs > fromMs + MAX_SPAN_MS) break;
    tickMs = nextMs;
  }
  return shortestMs;
}

/** Why the window does not fit the schedule, or null. */
export function windowWarning(schedule: Schedule, windowMs: number, fromMs: number): string | null {
  const periodMs = shortestPeriodMs(schedule, fromMs);
  if (windowMs <= periodMs) return null;
  const window = `--schedule-window=${formatDuration(windowMs)}`;
  const period = `ticks of --schedule=${JSON.stringify(schedule.text)} can be ${formatDuration(periodMs)} apart`;
  return `${window} is too long, ${period}: a tick that comes while a run still waits for the lock is skipped`;
}
