/**
 * Locales whose data has zone letters (EET, AEST, IST, SAST, JST, WIB …): each knows those of its
 * own part of the world, and no locale knows all.
 */
const LETTER_LOCALES = ['en-US', 'en-GB', 'en-AU', 'en-IN', 'en-ZA', 'ja', 'id'];

interface Formats {
  fields: Intl.DateTimeFormat;
  letters: Intl.DateTimeFormat[];
}

const formats = new Map<string, Formats>();

/**
 * As Go prints a time.Time: `2019-02-21 11:41:10.123 +0200 EET`. A zone without letters gets its
 * offset in their place (`-0300 -03`), as in Go. Go's monotonic reading (`m=+86.4`) is left out.
 */
export function formatGoTime(atMs: number, zone: string): string {
  const ms = ((Math.floor(atMs) % 1000) + 1000) % 1000;
  const fraction = ms === 0 ? '' : `.${String(ms).padStart(3, '0')}`.replace(/0+$/, '');
  if (zone === 'UTC') {
    const [date, time] = new Date(atMs).toISOString().split(/[T.]/);
    return `${date} ${time}${fraction} +0000 UTC`;
  }
  const { fields, letters } = formatsOf(zone);
  const part = new Map(fields.formatToParts(atMs).map(({ type, value }) => [type, value]));
  const date = ['year', 'month', 'day'].map((type) => part.get(type as 'year')).join('-');
  const time = ['hour', 'minute', 'second'].map((type) => part.get(type as 'hour')).join(':');
  const offset = (part.get('timeZoneName') ?? '').replace(/^GMT|:/g, '');
  const abbreviation =
    letters.map((format) => zoneName(format, atMs)).find((name) => /^[A-Z]{3,5}$/.test(name)) ??
    offset.replace(/00$/, '');
  return `${date} ${time}${fraction} ${offset} ${abbreviation}`;
}

function zoneName(format: Intl.DateTimeFormat, atMs: number): string {
  return format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

function formatsOf(timeZone: string): Formats {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = {
    fields: new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    }),
    letters: LETTER_LOCALES.map(
      (locale) => new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' }),
    ),
  };
  formats.set(timeZone, made);
  return made;
}
