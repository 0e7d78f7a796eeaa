import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSchedule } from '../../src/schedule/schedule.ts';
import { record } from './recorder.ts';
import { DAY_MS, HOUR_MS, ticks } from './ticks.ts';
import { VirtualClock } from './virtual-clock.ts';

test('trap 46: @every 24h runs three times in three days with a restart every 12 h', () => {
  const clock = new VirtualClock('2026-01-01T07:13Z');
  const runs: string[] = [];
  for (let restarts = 0; restarts < 6; restarts += 1) {
    const { ticker, calls } = record(clock, '@every 24h', 'Europe/Berlin', HOUR_MS);
    clock.pass(12 * HOUR_MS);
    ticker.stop();
    runs.push(...calls);
  }
  assert.deepEqual(runs, [
    'run 2026-01-02T00:00Z',
    'run 2026-01-03T00:00Z',
    'run 2026-01-04T00:00Z',
  ]);
});

test('trap 46: @every ticks at the multiples of its period since 1970 UTC, on all nodes', () => {
  assert.deepEqual(ticks('@every 1h30m', 'UTC', '2026-01-01T00:10Z', 3), [
    '2026-01-01T01:30Z',
    '2026-01-01T03:00Z',
    '2026-01-01T04:30Z',
  ]);
  const schedule = parseSchedule('@every 12s', 'Europe/Helsinki');
  assert.equal(schedule.next(0), 12_000);
  assert.equal(schedule.next(11_999), 12_000);
  assert.equal(schedule.previous(12_000), 12_000);
  assert.equal(schedule.previous(11_999), 0);
  assert.equal(schedule.next(-1), 0);
});

test('@every keeps its period over a clock change', () => {
  const schedule = parseSchedule('@every 24h', 'Europe/Berlin');
  const beforeMs = schedule.next(Date.parse('2025-03-29T12:00Z'));
  assert.equal(schedule.next(beforeMs) - beforeMs, DAY_MS);
});

test('@every is refused below a second, in parts of one, and with what is no duration', () => {
  for (const period of ['0', '0s', '-1h', '500ms', '1.5s']) {
    assert.throws(() => parseSchedule(`@every ${period}`, 'UTC'), {
      message: `the schedule "@every ${period}" does not tick in whole seconds; use 1s or more`,
    });
  }
  assert.throws(() => parseSchedule('@every 1d', 'UTC'), {
    message: /^the schedule "@every 1d": "1d" is not a duration: there is no unit "d"; /,
  });
});
