import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeTurns, percentile } from './turns.ts';

const turn = (node: string, lockedAtMs: number, releasingAtMs: number, doneAtMs: number) => ({
  node,
  lockedAtMs,
  releasingAtMs,
  doneAtMs,
});

test('turns are put in order, and a hand-off is from release to acquire', () => {
  const turns = judgeTurns([turn('b', 40, 50, 55), turn('a', 10, 20, 25), turn('c', 61, 70, 75)]);
  assert.deepEqual(turns, { order: ['a', 'b', 'c'], overlaps: 0, handOffsMs: [15, 6] });
});

test('an acquire ahead of the answer to the release is no overlap, one ahead of the release is', () => {
  const early = judgeTurns([turn('a', 10, 20, 25), turn('b', 22, 30, 35)]);
  assert.deepEqual([early.overlaps, early.handOffsMs], [0, [0]]);
  assert.equal(judgeTurns([turn('a', 10, 20, 25), turn('b', 19, 30, 35)]).overlaps, 1);
});

test('a percentile is one of the values', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  assert.deepEqual([percentile(values, 0.5), percentile(values, 0.95)], [51, 96]);
  assert.equal(percentile([7], 0.95), 7);
});
