import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../src/rehearsal/random.ts';
import { type Timer, TimerQueue } from '../../src/rehearsal/timers.ts';

test('timers come out sorted, however they went in, and cancelled ones never', () => {
  const random = createRandom(1, 'timers');
  const queue = new TimerQueue();
  const due: Timer[] = [];
  const expected: number[] = [];
  const popped: number[] = [];
  for (let order = 1; order <= 2_000; order += 1) {
    const timer: Timer = { dueMs: random.between(0, 300), order, run: () => {} };
    queue.push(timer);
    due.push(timer);
    if (random.next() < 0.2) random.pick(due).run = null;
    if (random.next() < 0.4) {
      const alive = due.filter(({ run }) => run !== null);
      const [first] = alive.sort((one, two) => one.dueMs - two.dueMs || one.order - two.order);
      expected.push(first?.order ?? 0);
      if (first) due.splice(due.indexOf(first), 1);
      popped.push(queue.pop()?.order ?? 0);
    }
  }
  assert.deepEqual(popped, expected);
});
