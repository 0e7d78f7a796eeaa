interface Field {
  name: string;
  takes: string;
  /** One part of the field's list. */
  part: RegExp;
  /** Where `5/15` ends. */
  last: number;
}

const MONTHS = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
const DAYS = 'sun|mon|tue|wed|thu|fri|sat';

function field(name: string, takes: string, last: number, value: string, extra = '(?!)'): Field {
  const part = `(?:[*?](?:/\\d+)?|${value}(?:-${value})?(?:/\\d+)?|${extra})`;
  return { name, takes, last, part: new RegExp(`^${part}$`, 'i') };
}

/** The five fields in their order. */
export const FIELDS: Field[] = [
  field('minute', '0-59', 59, '\\d\\d?'),
  field('hour', '0-23', 23, '\\d\\d?'),
  field('day of month', '1-31, L (the last day)', 31, '\\d\\d?', 'L'),
  field('month', '1-12, JAN-DEC', 12, `(?:\\d\\d?|${MONTHS})`),
  field(
    'day of week',
    '0-7, SUN-SAT, 5L (the last Friday), 5#2 (the second Friday)',
    6,
    `(?:\\d|${DAYS})`,
    `(?:\\d|${DAYS})(?:L|#\\d)`,
  ),
];

/**
 * Splits a cron expression into five fields of the right form, or throws. Ranges of numbers are not
 * looked at here. `5/15` is written out as `5-59/15`.
 */
export function splitFields(text: string): string[] {
  const fields = text.split(/\s+/);
  if (fields.length !== FIELDS.length) {
    const zone = /^(CRON_)?TZ=/.test(text) ? '; the time zone is set with TZ, not here' : '';
    const needs = 'five fields: minute, hour, day of month, month, day of week';
    throw new Error(`the schedule ${JSON.stringify(text)} does not have ${needs}${zone}`);
  }
  return fields.map((value, index) => {
    const { part, last } = FIELDS[index] as Field;
    const parts = value.split(',');
    // Read with Sunday as 7 at the end of a range, sun-sun would be the whole week.
    if (!parts.every((one) => part.test(one) && !/^sun-sun/i.test(one))) {
      throw refusal(text, index, value);
    }
    return parts.map((one) => one.replace(/^(\w+)\//, `$1-${last}/`)).join(',');
  });
}

/** The error that names a field and what it takes. */
export function refusal(text: string, index: number, value: string): Error {
  const { name, takes } = FIELDS[index] as Field;
  const forms = 'lists (1,5), rising ranges (1-5), steps (*/2)';
  return new Error(
    `the schedule ${JSON.stringify(text)} has a wrong ${name} ${JSON.stringify(value)}; it takes ${takes}, *, ${forms}`,
  );
}
