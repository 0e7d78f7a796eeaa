import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { replayJournal } from '../../src/trace/replay-journal.ts';
import { missing as missingCluster } from '../cluster/build.ts';
import { LOGIN1 } from '../hosts/host.ts';
import { missing as missingHosts } from '../hosts/image.ts';
import { becomes } from '../hosts/unit.ts';
import { missing as missingKwok } from '../kwok/build.ts';
import { requires } from '../requires.ts';
import { cordonedWithoutLock, course, downWithoutLock, holders, takeovers } from './checks.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { PACKAGE } from './updates.ts';

const missing = missingCluster() || missingKwok() || missingHosts();

const NO_REBOOT = ['--reboot=false', '--drain=false'];
const DONE = { 'node-1': 'done', 'node-2': 'done', 'node-3': 'done' };

describe(
  'three nodes on a real control plane',
  requires('control plane and hosts', missing),
  () => {
    let fleet: Fleet;
    before(async () => {
      fleet = await startFleet();
    });
    after(() => fleet?.stop());
    const assertHistories = (runs: number) => {
      for (const { name, agent } of fleet.members) {
        const replay = replayJournal(agent().journal());
        assert.deepEqual([replay.divergence, replay.runs], [null, runs], name);
        assert.equal(replayJournal(agent().output()).divergence, null, name);
      }
    };
    const assertOrder = async () => {
      const all = await fleet.moments();
      assert.deepEqual(
        [...takeovers(all), ...cordonedWithoutLock(all), ...downWithoutLock(all)],
        [],
      );
      assert.equal(all.at(-1)?.lock, '');
      return all;
    };

    test('a tick: each in turn is upgraded, and what it found is on its Node', async () => {
      const version = fleet.publish();
      fleet.start(...NO_REBOOT);
      assert.deepEqual(await fleet.ends(), DONE);
      await fleet.stopAgents();
      const all = await assertOrder();
      assert.deepEqual([...holders(all)].sort(), Object.keys(DONE));
      for (const { name, host } of fleet.members) {
        assert.equal(host.version(PACKAGE), version, name);
        const node = all.at(-1)?.nodes.get(name);
        assert.equal(node?.conditions.HostUpgrades, 'False/RebootRequired', name);
        assert.equal(node?.conditions.HostUpgradesReboot, 'True/RebootRequired', name);
      }
      assertHistories(1);
    });

    test('the holder is killed, then its host goes down and stays so: the others wait', async () => {
      fleet.publish();
      for (const { host } of fleet.members) host.hold('update');
      fleet.start(...NO_REBOOT);
      const holder = await fleet.holder();
      const { host, name } = holder;
      await becomes(host, 'activating');
      await holder.agent().kill9();
      await holder.agent().says(/Resuming the interrupted run/);
      holder.stayDown();
      const bootId = host.bootId();
      host.exec('busctl', 'call', ...LOGIN1, 'Reboot', 'b', 'false');
      await fleet.sees(name, 'Ready', /^Unknown/);
      for (const other of fleet.members.filter((member) => member !== holder)) {
        await other.agent().says(/: watch v1.ListOptions/);
        other.host.letGo('update');
      }
      assert.equal((await fleet.holder()).name, name);
      holder.letUp();
      assert.deepEqual(await fleet.ends(), DONE);
      assert.notEqual(host.bootId(), bootId);
      await fleet.sees(name, 'Ready', /^True/);
      await fleet.stopAgents();
      const all = await assertOrder();
      assert.deepEqual(
        course(all, ({ down }) => [...down].join()),
        ['', name, ''],
      );
      assertHistories(2);
    });
  },
);
