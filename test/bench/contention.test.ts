import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { missing } from '../cluster/build.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { requires } from '../requires.ts';
import { percentile, type Rollout, rollout } from './rollout.ts';

describe('a fleet at one lock, on a real API server', requires('control plane', missing()), () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster?.stop());

  test('the cost a node does not grow with the fleet, and no two nodes hold the lock', async (t) => {
    const rollouts: Rollout[] = [];
    // Chance decides who collides: a small fleet is measured more than once.
    for (const [nodes, times] of [
      [10, 4],
      [30, 2],
      [60, 1],
    ] as const) {
      const runs: Rollout[] = [];
      for (let count = 1; count <= times; count += 1) {
        runs.push(await rollout(cluster, nodes, `waiting-${nodes}-${count}`, true));
      }
      rollouts.push(...runs.slice(0, 1).map((first) => average(first, runs)));
    }
    for (const { nodes, requestsANode, requests, overlaps, order, handOffsMs } of rollouts) {
      const median = percentile(handOffsMs, 0.5).toFixed(0);
      t.diagnostic(
        `${nodes} nodes: ${requestsANode.toFixed(2)} requests a node, hand-off median ${median} ms, ${JSON.stringify(requests)}`,
      );
      assert.equal(overlaps, 0);
      assert.equal(new Set(order).size, nodes);
      assert.ok(requestsANode <= 7, `${nodes} nodes: ${requestsANode} requests a node`);
    }
    const [small, , large] = rollouts;
    assert.ok(small && large);
    // More than a third more would be growth, not chance.
    assert.ok(large.requestsANode <= small.requestsANode * 1.33);
    // The Go program's median grows fourfold from 10 to 60 nodes.
    const ratio = percentile(large.handOffsMs, 0.5) / percentile(small.handOffsMs, 0.5);
    assert.ok(ratio < 3, `the median hand-off grew ${ratio}-fold`);
  });
});

/** The runs of one fleet size as one: the mean of the requests, all hand-offs together. */
function average(first: Rollout, runs: Rollout[]): Rollout {
  const sum = runs.reduce((total, { requestsANode }) => total + requestsANode, 0);
  return {
    ...first,
    requestsANode: sum / runs.length,
    overlaps: runs.reduce((total, { overlaps }) => total + overlaps, 0),
    handOffsMs: runs.flatMap(({ handOffsMs }) => handOffsMs),
  };
}
