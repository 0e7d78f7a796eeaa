import { parseSchedule } from '../../src/schedule/schedule.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** `2025-10-26T00:30Z`. */
export const utc = (ms: number) => `${new Date(ms).toISOString().slice(0, 16)}Z`;

/** The next ticks after an instant. */
export function ticks(text: string, zone: string, after: string, count: number): string[] {
  const schedule = parseSchedule(text, zone);
  const found: string[] = [];
  let atMs = Date.parse(after);
  while (found.length < count) {
    atMs = schedule.next(atMs);
    found.push(utc(atMs));
  }
  return found;
}

/** All ticks in `[fromMs, toMs)`, found forwards. */
export function ticksBetween(text: string, zone: string, fromMs: number, toMs: number): number[] {
  const schedule = parseSchedule(text, zone);
  const found: number[] = [];
  for (let atMs = schedule.next(fromMs - 1); atMs < toMs; atMs = schedule.next(atMs)) {
    found.push(atMs);
  }
  return found;
}
