import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recorded } from './recorded.ts';

const ROLLOUTS: [number, string[]][] = [
  [3, ['conflict']],
  [3, ['api-down', 'restart', 'lost-answer']],
  [20, ['none']],
  [20, ['conflict', 'api-errors', 'watch-gone']],
  [20, ['slow-api', 'watch-drop', 'watch-stall']],
];

for (const [nodes, faults] of ROLLOUTS) {
  test(`${nodes} nodes, ${faults.join(', ')}: the same seed gives the same rollout`, async () => {
    const options = { nodes, faults, seed: 11 };
    // At once, so that each disturbs the other's sockets and turns.
    const [one, other] = await Promise.all([recorded(options), recorded(options)]);
    assert.deepEqual(one.outcome.violations, []);
    assert.deepEqual(other, one);
  });
}

test('another seed gives another rollout', async () => {
  const [one, other] = await Promise.all([recorded({ seed: 11 }), recorded({ seed: 12 })]);
  assert.notDeepEqual(other.lines, one.lines);
});

test('the pace of the real time changes nothing', async () => {
  const [one, other] = await Promise.all([recorded({ speed: 0 }), recorded({ speed: 40 })]);
  assert.deepEqual(other, one);
});
