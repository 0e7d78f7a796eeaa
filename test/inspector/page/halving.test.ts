import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countWhile } from '../../../src/inspector/page/halving.ts';

test('the items from the first on are counted up to each place', () => {
  for (let length = 0; length < 9; length += 1) {
    const items = Array.from({ length }, (_, index) => index);
    for (let end = 0; end <= length; end += 1) {
      assert.equal(
        countWhile(items, (item) => item < end),
        end,
      );
    }
  }
});

test('of many items few are looked at', () => {
  const items = Array.from({ length: 100_000 }, (_, index) => index);
  let looks = 0;
  const isBelow = (item: number) => {
    looks += 1;
    return item < 70_000;
  };
  assert.equal(countWhile(items, isBelow), 70_000);
  assert.ok(looks <= 17, `${looks} looks`);
});
