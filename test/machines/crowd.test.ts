import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pass } from './crowd.ts';

test('whoever acquires too late stands back further: a slow API server costs no node more in a large fleet', () => {
  // A change is told up to 400 ms late, and a request takes as long.
  const slow = { lagMs: 400, roundTripMs: 400, seed: 1 };
  for (const nodes of [10, 100]) {
    const { requests, conflicts, done } = pass({ ...slow, nodes });
    assert.equal(done, nodes);
    // Standing back by the same time again and again, it is 17 requests, 9 of them conflicts.
    assert.ok(requests / nodes <= 12, `${nodes} nodes: ${requests / nodes} requests a node`);
    assert.ok(conflicts / nodes <= 4.5, `${nodes} nodes: ${conflicts / nodes} conflicts a node`);
  }
});

test('where changes are told at once hardly anyone is late', () => {
  const { requests, conflicts } = pass({ nodes: 100, lagMs: 5, roundTripMs: 4, seed: 1 });
  assert.ok(requests / 100 <= 6, `${requests / 100} requests a node`);
  assert.ok(conflicts / 100 <= 0.3, `${conflicts / 100} conflicts a node`);
});
