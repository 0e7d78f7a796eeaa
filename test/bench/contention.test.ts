import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { missing } from '../cluster/build.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { requires } from '../requires.ts';
import { prepare, type Rollout, rollout } from './rollout.ts';

describe('a fleet at one lock, on a real API server', requires('control plane', missing()), () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
    await prepare(cluster);
  });
  after(() => cluster?.stop());

  test('the cost a node does not grow with the fleet, and no two nodes hold the lock', async (t) => {
    const means = new Map<number, number>();
    // Chance decides who collides: a small fleet is measured more than once.
    for (const [nodes, times] of [
      [10, 4],
      [100, 1],
      [300, 1],
    ] as const) {
      let sum = 0;
      for (let time = 1; time <= times; time += 1) {
        const run = await rollout(cluster, {
          nodes,
          prefix: `waiting-${nodes}-${time}`,
          isHeld: true,
        });
        t.diagnostic(summary(run));
        check(run);
        sum += run.requestsANode;
      }
      means.set(nodes, sum / times);
    }
    const least = means.get(10) ?? Number.NaN;
    for (const nodes of [100, 300]) {
      const ratio = (means.get(nodes) ?? Number.NaN) / least;
      // More than a third more would be growth, not chance.
      assert.ok(ratio <= 1.33, `${nodes} nodes: ${ratio} times the requests of 10`);
    }
  });
});

function check({ nodes, requestsANode, requests, conflicts, overlaps, order }: Rollout): void {
  assert.equal(overlaps, 0);
  assert.equal(order.length, nodes);
  assert.equal(new Set(order).size, nodes);
  // The acquire, the report and the release of each node, and not one write more.
  assert.equal(requests['PATCH 200'], 3 * nodes);
  const codes = Object.keys(requests).map((key) => key.split(' ')[1]);
  assert.deepEqual([...new Set(codes)].sort(), ['200', '409'], 'codes of answers');
  assert.ok(requestsANode <= 8, `${nodes} nodes: ${requestsANode} requests a node`);
  assert.ok(conflicts <= 2 * nodes, `${nodes} nodes: ${conflicts} conflicts`);
}

function summary({ nodes, requestsANode, requests, changes, workers }: Rollout): string {
  return `${nodes} nodes in ${workers.length} processes: ${requestsANode.toFixed(2)} requests a node, ${JSON.stringify(requests)}, ${changes} changes sent to watches`;
}
