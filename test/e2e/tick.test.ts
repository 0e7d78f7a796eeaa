import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSchedule } from '../../src/schedule/schedule.ts';
import { tickIn } from './tick.ts';

test('a tick is near, and the next one far', () => {
  for (let nowMs = 1_800_000_000_000; nowMs < 1_800_000_100_000; nowMs += 777) {
    const schedule = parseSchedule(tickIn(nowMs, 2_000), 'UTC');
    const tickMs = schedule.next(nowMs);
    assert.ok(tickMs >= nowMs + 2_000 && tickMs < nowMs + 8_000, `${tickMs - nowMs}`);
    assert.ok(schedule.next(tickMs) >= tickMs + 1_800_000);
    assert.ok(schedule.previous(nowMs) <= nowMs - 1_700_000);
  }
});
