import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { replayJournal } from '../../src/trace/replay-journal.ts';
import { missing as missingCluster } from '../cluster/build.ts';
import { missing as missingHosts } from '../hosts/image.ts';
import { missing as missingKwok } from '../kwok/build.ts';
import { requires } from '../requires.ts';
import { cordonedWithoutLock, holders, takeovers } from './checks.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { PACKAGE } from './updates.ts';

const missing = missingCluster() || missingKwok() || missingHosts();

describe(
  'three nodes on a real control plane',
  requires('control plane and hosts', missing),
  () => {
    let fleet: Fleet;
    before(async () => {
      fleet = await startFleet();
    });
    after(() => fleet?.stop());

    test('a tick: each in turn is upgraded, and what it found is on its Node', async () => {
      const version = fleet.publish();
      fleet.start();
      const done = { 'node-1': 'done', 'node-2': 'done', 'node-3': 'done' };
      assert.deepEqual(await fleet.ends(), done);
      await fleet.stopAgents();
      const all = await fleet.moments();
      assert.deepEqual([...holders(all)].sort(), Object.keys(done));
      assert.deepEqual([...takeovers(all), ...cordonedWithoutLock(all)], []);
      assert.equal(all.at(-1)?.lock, '');
      for (const { name, host, agent } of fleet.members) {
        assert.equal(host.version(PACKAGE), version, name);
        const node = all.at(-1)?.nodes.get(name);
        assert.equal(node?.conditions.HostUpgrades, 'False/RebootRequired', name);
        assert.equal(node?.conditions.HostUpgradesReboot, 'True/RebootRequired', name);
        for (const history of [agent().journal(), agent().output()]) {
          const replay = replayJournal(history);
          assert.deepEqual([replay.divergence, replay.runs], [null, 1], name);
        }
      }
    });
  },
);
