import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawFaults } from './plan.ts';

const MINUTE_MS = 60_000;

test('the same seed is the same faults, another one is others', () => {
  assert.deepEqual(drawFaults(7, 20, MINUTE_MS), drawFaults(7, 20, MINUTE_MS));
  assert.notDeepEqual(drawFaults(7, 20, MINUTE_MS), drawFaults(8, 20, MINUTE_MS));
});

test('five minutes have every kind of fault, whatever the seed', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const kinds = new Set(drawFaults(seed, 20, 5 * MINUTE_MS).map(({ kind }) => kind));
    assert.equal(kinds.size, 20, `seed ${seed}: ${[...kinds].sort().join(' ')}`);
  }
});

test('five minutes kill each of 20 agents, whatever the seed', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const faults = drawFaults(seed, 20, 5 * MINUTE_MS);
    const killed = new Set(faults.flatMap((fault) => (fault.kind === 'kill' ? fault.target : [])));
    killed.delete('holder');
    assert.equal(killed.size, 20, `seed ${seed}: ${[...killed].join(' ')}`);
  }
});

test('faults come in order and within their time', () => {
  const times = drawFaults(3, 20, 5 * MINUTE_MS).map(({ atMs }) => atMs);
  assert.deepEqual(
    times,
    [...times].sort((a, b) => a - b),
  );
  assert.ok((times.at(-1) ?? 0) < 5 * MINUTE_MS);
});
