import { parseDuration } from './duration.ts';
import type { Schedule } from './schedule.ts';

/**
 * `@every 1h30m` ticks at the multiples of its period since 1970-01-01 00:00 UTC, and not since
 * the start of the process: a process that restarts more often than the period would never run.
 */
export function everySchedule(text: string, period: string): Schedule {
  const periodMs = readPeriod(text, period);
  return {
    text,
    next: (afterMs) => (Math.floor(afterMs / periodMs) + 1) * periodMs,
    previous: (atMs) => Math.floor(atMs / periodMs) * periodMs,
  };
}

function readPeriod(text: string, period: string): number {
  const where = `the schedule ${JSON.stringify(text)}`;
  try {
    const periodMs = parseDuration(period);
    if (periodMs >= 1000 && periodMs % 1000 === 0) return periodMs;
  } catch (error) {
    throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
  }
  throw new Error(`${where} does not tick in whole seconds; use 1s or more`);
}
