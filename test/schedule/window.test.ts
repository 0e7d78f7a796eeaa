import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSchedule } from '../../src/schedule/schedule.ts';
import {
  deadlineOf,
  openWindow,
  parseWindow,
  shortestPeriodMs,
  windowWarning,
} from '../../src/schedule/window.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, utc } from './ticks.ts';

const FROM_MS = Date.parse('2026-01-01T00:00Z');

test('the window is a Go duration, and not negative', () => {
  assert.equal(parseWindow('1h'), HOUR_MS);
  assert.equal(parseWindow('0'), 0);
  assert.throws(() => parseWindow('-1h'), {
    message: 'the window -1h is negative; use 0 for no window',
  });
  assert.throws(() => parseWindow('60'), /a unit is missing/);
});

test('the deadline is the tick and the window; a window of 0 has none', () => {
  assert.equal(deadlineOf(1000, 500), 1500);
  assert.equal(deadlineOf(1000, 0), null);
});

/** Zone, schedule, window in hours, instants and the tick of the window that is open then. */
const OPEN: [string, string, number, string, string | null][] = [
  ['America/New_York', '0 2 * * *', 3, '2020-03-08T07:01Z', '2020-03-08T07:00Z'],
  ['America/New_York', '0 2 * * *', 3, '2020-03-08T09:59Z', '2020-03-08T07:00Z'],
  ['America/New_York', '0 2 * * *', 3, '2020-03-08T10:00Z', null],
  ['America/New_York', '0 2 * * *', 3, '2020-03-08T06:59Z', null],
  // Saturday 01:00, in the window of Friday 22:00.
  ['Europe/Berlin', '0 22 * * 5', 8, '2026-01-03T00:00Z', '2026-01-02T21:00Z'],
  ['Europe/Berlin', '0 22 * * 5', 8, '2026-01-03T05:00Z', null],
  // 01:00 to 06:00 local is four hours where the clock goes forward.
  ['Europe/Berlin', '0 1 * * *', 4, '2025-03-30T00:00Z', '2025-03-30T00:00Z'],
  ['Europe/Berlin', '0 1 * * *', 4, '2025-03-30T03:59Z', '2025-03-30T00:00Z'],
  ['Europe/Berlin', '0 1 * * *', 4, '2025-03-30T04:00Z', null],
  ['UTC', '0 2 * * *', 0, '2026-01-01T02:00Z', null],
];

for (const [zone, text, hours, at, expected] of OPEN) {
  test(`trap 43: ${text} in ${zone} with ${hours} h is ${expected ? 'open' : 'closed'} at ${at}`, () => {
    const tickMs = openWindow(parseSchedule(text, zone), hours * HOUR_MS, Date.parse(at));
    assert.equal(tickMs === null ? null : utc(tickMs), expected);
  });
}

const SHORTEST: [string, string, number][] = [
  ['* * * * *', 'UTC', MINUTE_MS],
  ['*/5 * * * *', 'UTC', 5 * MINUTE_MS],
  ['*/7 * * * *', 'UTC', 4 * MINUTE_MS],
  ['0 0,22 * * *', 'UTC', 2 * HOUR_MS],
  ['@every 12s', 'UTC', 12_000],
  ['0 2 * * *', 'UTC', DAY_MS],
  ['0 4 * * *', 'Europe/Helsinki', DAY_MS - HOUR_MS],
  ['0 0 1 * 1', 'UTC', DAY_MS],
  ['0 0 29 2 *', 'UTC', 4 * 365 * DAY_MS + DAY_MS],
  ['0 0 1 * *', 'UTC', 28 * DAY_MS],
];

for (const [text, zone, expected] of SHORTEST) {
  test(`the shortest time between two ticks of ${text} in ${zone}`, () => {
    assert.equal(shortestPeriodMs(parseSchedule(text, zone), FROM_MS), expected);
  });
}

test('a window longer than the period is warned of', () => {
  const hourly = parseSchedule('0 * * * *', 'UTC');
  assert.equal(windowWarning(hourly, HOUR_MS, FROM_MS), null);
  assert.equal(windowWarning(hourly, 0, FROM_MS), null);
  assert.equal(
    windowWarning(hourly, 2 * HOUR_MS, FROM_MS),
    '--schedule-window=2h0m0s is too long, ticks of --schedule="0 * * * *" can be 1h0m0s apart: a tick that comes while a run still waits for the lock is skipped',
  );
});
