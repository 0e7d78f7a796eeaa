import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSchedule } from '../../src/schedule/schedule.ts';
import { HOUR_MS, MINUTE_MS, ticks, ticksBetween, utc } from './ticks.ts';

test('trap 42: 02:30 in Berlin runs once on both clock changes', () => {
  assert.deepEqual(ticks('30 2 * * *', 'Europe/Berlin', '2025-10-25T12:00Z', 2), [
    '2025-10-26T00:30Z',
    '2025-10-27T01:30Z',
  ]);
  assert.deepEqual(ticks('30 2 * * *', 'Europe/Berlin', '2025-03-29T12:00Z', 2), [
    '2025-03-30T01:00Z',
    '2025-03-31T00:30Z',
  ]);
});

test('trap 42: every half hour in Melbourne has no hole where the clock goes back', () => {
  assert.deepEqual(ticks('*/30 * 7 4 *', 'Australia/Melbourne', '2024-04-06T15:29Z', 5), [
    '2024-04-06T15:30Z',
    '2024-04-06T16:00Z',
    '2024-04-06T16:30Z',
    '2024-04-06T17:00Z',
    '2024-04-06T17:30Z',
  ]);
});

test('trap 42: every minute in Los Angeles is 60 runs in each real hour, 60 s apart', () => {
  for (const day of ['2025-03-09', '2025-11-02']) {
    const fromMs = Date.parse(`${day}T06:00Z`);
    const found = ticksBetween('* * * * *', 'America/Los_Angeles', fromMs, fromMs + 8 * HOUR_MS);
    assert.deepEqual(
      found,
      Array.from({ length: 480 }, (_, minute) => fromMs + minute * MINUTE_MS),
    );
  }
});

/** Fixed times run once on each local day; zone, expression, the ticks of the day of the change. */
const FIXED: [string, string, string, string[]][] = [
  ['Europe/Helsinki', '30 3 * * *', '2025-03-29T20:00Z', ['2025-03-30T01:00Z']],
  ['Europe/Helsinki', '30 3 * * *', '2025-10-25T20:00Z', ['2025-10-26T00:30Z']],
  ['America/New_York', '30 2 * * *', '2025-03-09T04:00Z', ['2025-03-09T07:00Z']],
  ['America/New_York', '30 1 * * *', '2025-11-02T04:00Z', ['2025-11-02T05:30Z']],
  // The skipped time falls on one that is due anyway: one tick.
  ['America/New_York', '0 2,3 * * *', '2025-03-09T04:00Z', ['2025-03-09T07:00Z']],
  [
    'America/New_York',
    '0,30 1 * * *',
    '2025-11-02T04:00Z',
    ['2025-11-02T05:00Z', '2025-11-02T05:30Z'],
  ],
  // Midnight itself is skipped.
  ['Africa/Cairo', '@daily', '2025-04-24T20:00Z', ['2025-04-24T22:00Z']],
  // Half an hour back.
  ['Australia/Lord_Howe', '45 1 * * *', '2025-04-05T13:00Z', ['2025-04-05T14:45Z']],
];

for (const [zone, text, after, expected] of FIXED) {
  test(`trap 42: ${text} in ${zone} runs at its times once on the local day after ${after}`, () => {
    const toMs = Date.parse(after) + 20 * HOUR_MS;
    assert.deepEqual(ticksBetween(text, zone, Date.parse(after), toMs).map(utc), expected);
  });
}

test('trap 42: what steps through the day follows real time in Helsinki and New York', () => {
  // 03:00 is skipped: nothing in its place. 03:00 comes twice: both.
  assert.deepEqual(ticks('0 */3 * * *', 'Europe/Helsinki', '2025-03-29T21:59Z', 3), [
    '2025-03-29T22:00Z',
    '2025-03-30T03:00Z',
    '2025-03-30T06:00Z',
  ]);
  assert.deepEqual(ticks('0 */3 * * *', 'Europe/Helsinki', '2025-10-25T20:59Z', 4), [
    '2025-10-25T21:00Z',
    '2025-10-26T00:00Z',
    '2025-10-26T01:00Z',
    '2025-10-26T04:00Z',
  ]);
  assert.deepEqual(ticks('@hourly', 'America/New_York', '2025-11-02T04:30Z', 3), [
    '2025-11-02T05:00Z',
    '2025-11-02T06:00Z',
    '2025-11-02T07:00Z',
  ]);
});

test('trap 43: after a restart the last tick is the one that was next before it', () => {
  const schedule = parseSchedule('0 2 * * *', 'America/New_York');
  const skippedMs = schedule.next(Date.parse('2020-03-07T08:00Z'));
  assert.equal(utc(skippedMs), '2020-03-08T07:00Z');
  assert.equal(schedule.previous(Date.parse('2020-03-08T07:01Z')), skippedMs);
  assert.equal(schedule.previous(skippedMs), skippedMs);
  assert.equal(utc(schedule.previous(skippedMs - 1)), '2020-03-07T07:00Z');
});
