import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSchedule } from '../../src/schedule/schedule.ts';
import { tickIn } from './tick.ts';

test('a tick is near, and there is no other one', () => {
  const nowMs = 1_800_000_000_123;
  const schedule = parseSchedule(tickIn(nowMs, 2_000), 'UTC');
  const tickMs = schedule.next(nowMs);
  assert.equal(tickMs, 1_800_000_003_000);
  assert.equal(schedule.next(tickMs), 2 * tickMs);
  assert.equal(schedule.previous(nowMs), 0);
});
