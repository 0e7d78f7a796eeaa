import { cronSchedule } from './cron.ts';
import { everySchedule } from './every.ts';

/** When runs begin. All times are ms since the epoch. */
export interface Schedule {
  text: string;
  /** The first tick after `afterMs`. */
  next(afterMs: number): number;
  /** The last tick at or before `atMs`: one rule with `next`, so that a restart sees the same ticks. */
  previous(atMs: number): number;
}

/**
 * Reads the value of --schedule: a 5-field cron expression, `@daily` and its like, or
 * `@every 1h30m`. `zone` is the IANA time zone that the fields are meant in. Throws a one-line
 * Error that names what is wrong; a schedule that was read never fails later.
 */
export function parseSchedule(text: string, zone: string): Schedule {
  const trimmed = text.trim();
  const every = /^@every\s+(.*)$/.exec(trimmed)?.[1];
  return every === undefined ? cronSchedule(trimmed, zone) : everySchedule(trimmed, every);
}
