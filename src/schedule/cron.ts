import { Cron } from 'croner';
import { refusal, splitFields } from './fields.ts';
import type { Schedule } from './schedule.ts';

const NICKNAMES = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
]);

/**
 * A 5-field cron expression in a time zone. croner finds the ticks; its timers are not used.
 *
 * At a clock change a job with fixed times (no `*` and no step in minute and hour) runs once on
 * each local day: a time that is skipped moves to the first instant after the gap, of a time that
 * comes twice the first counts. All other expressions follow real time: they run in both passes of
 * the repeated hour and have nothing in the skipped one.
 *
 * Days: where day of month and day of week are both restricted, either one is enough; where one of
 * them begins with `*` (also as a step), both must match, as in Vixie cron and in the original.
 */
export function cronSchedule(text: string, zone: string): Schedule {
  const fields = splitFields(expand(text));
  const cron = compile(text, fields, zone);
  const next = (afterMs: number) => cron.nextRun(new Date(afterMs));
  if (!next(0)) {
    throw new Error(
      `the schedule ${JSON.stringify(text)} never comes: no year has that day of month and month`,
    );
  }
  return {
    text,
    next: (afterMs) => time(next(afterMs), text),
    // croner's own is strictly before.
    previous: (atMs) => time(cron.previousRuns(1, new Date(atMs + 1))[0], text),
  };
}

function expand(text: string): string {
  if (!text.startsWith('@')) return text;
  const fields = NICKNAMES.get(text.toLowerCase());
  if (fields) return fields;
  const known = [...NICKNAMES.keys(), '@every 1h30m'].join(', ');
  throw new Error(`the schedule ${JSON.stringify(text)} is not known; there are ${known}`);
}

function compile(text: string, fields: string[], zone: string): Cron {
  try {
    return cronOf(fields, zone);
  } catch (error) {
    // croner does not say the field, and counts days and months from 0: ask it field by field.
    const wrong = fields.findIndex((field, index) => !isTaken(field, index));
    throw wrong < 0 ? error : refusal(text, wrong, text.split(/\s+/)[wrong] ?? '');
  }
}

function cronOf(fields: string[], timezone: string): Cron {
  const [, , dayOfMonth = '', , dayOfWeek = ''] = fields;
  const isStar = (field: string) => field.split(',').some((part) => /^[*?]/.test(part));
  return new Cron(fields.join(' '), {
    // The same, without what Intl loads.
    ...(timezone === 'UTC' ? { utcOffset: 0 } : { timezone }),
    fixedTimeRule: 'no-wildcard',
    domAndDow: isStar(dayOfMonth) || isStar(dayOfWeek),
  });
}

function isTaken(field: string, index: number): boolean {
  try {
    cronOf(['*', '*', '*', '*', '*'].with(index, field), 'UTC');
    return true;
  } catch {
    return false;
  }
}

function time(date: Date | null | undefined, text: string): number {
  if (!date) throw new Error(`the schedule ${JSON.stringify(text)} has no tick there`);
  return date.getTime();
}
