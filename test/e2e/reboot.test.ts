import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { replayJournal } from '../../src/trace/replay-journal.ts';
import { missing as missingCluster } from '../cluster/build.ts';
import { missing as missingHosts } from '../hosts/image.ts';
import { missing as missingKwok } from '../kwok/build.ts';
import { requires } from '../requires.ts';
import {
  belowBudget,
  cordonedWithoutLock,
  downWithoutLock,
  holders,
  takeovers,
  twoCordoned,
} from './checks.ts';
import { type Fleet, type Member, startFleet } from './fleet.ts';
import type { Moment } from './history.ts';
import { PACKAGE } from './updates.ts';
import { createBudget, createWorkload, type Workload } from './workload.ts';

const missing = missingCluster() || missingKwok() || missingHosts();
const DONE = { 'node-1': 'done', 'node-2': 'done', 'node-3': 'done' };

/** Where an agent is killed, by what it has just written; each goes on in another process. */
const MOMENTS = [
  [/Running host upgrades/, /Draining kube node/, /evicted pod default/],
  [/Reboot required/, /Host is shutting down/, /was rebooted/],
  [/Update kube node/, /Uncordoned drained kube node/, /Releasing kube lock/],
];

describe(
  'drains and reboots on real hosts and a real control plane',
  requires('control plane and hosts', missing),
  () => {
    let fleet: Fleet;
    let workload: Workload;
    let seen = 0;
    before(async () => {
      fleet = await startFleet();
      workload = await createWorkload(fleet.cluster, 'shop');
    });
    after(() => fleet?.stop());

    /** What happened since the last time, held to what must hold at every moment. */
    const settled = async (): Promise<Moment[]> => {
      await fleet.stopAgents();
      const all = await fleet.moments();
      assert.deepEqual(
        [
          ...twoCordoned(all),
          ...cordonedWithoutLock(all),
          ...downWithoutLock(all),
          ...takeovers(all),
          ...belowBudget(all, workload.name),
        ],
        [],
      );
      assert.equal(all.at(-1)?.lock, '');
      for (const { name, agent } of fleet.members) {
        assert.equal(replayJournal(agent().journal()).divergence, null, name);
        const node = all.at(-1)?.nodes.get(name);
        assert.equal(node?.isCordoned, false, name);
        const left = Object.keys(node?.annotations ?? {}).filter((one) => one.includes('pharos'));
        assert.deepEqual(left, [], name);
      }
      const since = all.slice(seen);
      seen = all.length;
      await workload.ready();
      return since;
    };
    /** `RECORD_HISTORIES=true` keeps a run, to be replayed by every later version (test/histories). */
    const keep = (member: Member | undefined, name: string) => {
      if (process.env.RECORD_HISTORIES !== 'true' || !member) return;
      const rows = member.agent().journal().split('\n');
      const first = rows.findLastIndex((row) => row.includes('"input"'));
      const path = new URL(`../histories/${name}.ndjson`, import.meta.url);
      writeFileSync(path, rows.slice(first).join('\n'));
    };
    const bootIds = () => fleet.members.map(({ host }) => host.bootId());
    const reboots = () => fleet.members.map((member) => member.reboots());
    const rebootedOnce = (before: { ids: string[]; counts: number[] }) => {
      for (const [index, id] of bootIds().entries()) assert.notEqual(id, before.ids[index]);
      assert.deepEqual(
        reboots(),
        before.counts.map((count) => count + 1),
      );
    };
    const now = () => ({ ids: bootIds(), counts: reboots() });
    const condition = (moments: Moment[], name: string) =>
      moments.at(-1)?.nodes.get(name)?.conditions.HostUpgradesReboot;

    test('each in turn is upgraded, drained, rebooted and uncordoned', async () => {
      const before = now();
      const version = fleet.publish();
      fleet.start();
      assert.deepEqual(await fleet.ends(), DONE);
      const since = await settled();
      rebootedOnce(before);
      assert.deepEqual([...holders(since)].sort(), Object.keys(DONE));
      for (const { name, host } of fleet.members) {
        assert.equal(host.version(PACKAGE), version, name);
        assert.equal(condition(since, name), 'False/Rebooted', name);
      }
      keep(fleet.members[0], 'rebooted');
    });

    for (const moments of MOMENTS) {
      test(`agents killed with -9 at ${moments.map(String).join(', ')} go on`, async () => {
        const before = now();
        fleet.publish();
        fleet.start();
        for (const [index, pattern] of moments.entries()) {
          fleet.members[index]?.agent().killAt(pattern);
        }
        assert.deepEqual(await fleet.ends(), DONE);
        await settled();
        rebootedOnce(before);
      });
    }

    test('an agent killed between the mark and the reboot: not asked twice, undone if it never comes', async () => {
      const [victim, ...others] = fleet.members;
      assert.ok(victim);
      const before = others.map((member) => member.reboots());
      fleet.publish();
      fleet.start('--reboot-timeout=8s');
      victim.agent().killAt(/Marking kube node/);
      const { [victim.name]: end, ...rest } = await fleet.ends();
      // Whether logind had heard of it is a matter of moments.
      assert.match(end ?? '', /^(done|failed)$/);
      assert.deepEqual(rest, { 'node-2': 'done', 'node-3': 'done' });
      await settled();
      assert.deepEqual(
        others.map((member) => member.reboots()),
        before.map((count) => count + 1),
      );
      const lastRun = victim.agent().journal().split('"input"').at(-1) ?? '';
      assert.equal(lastRun.match(/"locked\.rebooting\.requesting"/g)?.length, 1);
    });

    test('a host whose reboot fails: undone and reported, the others go on', async () => {
      const [victim] = fleet.members;
      assert.ok(victim);
      const before = victim.host.bootId();
      fleet.publish();
      victim.host.exec('systemctl', 'mask', '--runtime', '--now', 'systemd-logind.service');
      fleet.start();
      assert.deepEqual(await fleet.ends(), { ...DONE, 'node-1': 'failed' });
      victim.host.exec('systemctl', 'unmask', '--runtime', 'systemd-logind.service');
      const since = await settled();
      assert.equal(victim.host.bootId(), before);
      assert.equal(condition(since, 'node-1'), 'True/RebootFailed');
      keep(victim, 'reboot-refused');
    });

    test('a host that does not come back: the others wait, and say for whom', async () => {
      fleet.publish();
      for (const member of fleet.members) member.stayDown();
      fleet.start();
      const holder = await fleet.holder();
      await fleet.sees(holder.name, 'Ready', /^Unknown/);
      for (const other of fleet.members.filter((member) => member !== holder)) {
        await other.agent().says(new RegExp(`lock=${holder.name}: locked`));
        assert.equal(other.host.version('base-files').length > 0, true);
      }
      assert.equal((await fleet.holder()).name, holder.name);
      for (const member of fleet.members) member.letUp();
      assert.deepEqual(await fleet.ends(), DONE);
      await settled();
    });

    test('the API server is stopped and started during a drain', async () => {
      const before = now();
      fleet.publish();
      fleet.start();
      const holder = await fleet.holder();
      await holder.agent().says(/Draining kube node/);
      await fleet.cluster.stopApiServer();
      await fleet.cluster.startApiServer();
      assert.deepEqual(await fleet.ends(), DONE);
      await settled();
      rebootedOnce(before);
    });

    /** How runs end where each pod of the workload stays: a node without one is rebooted. */
    const blocked = async () => {
      const pods = await workload.pods();
      const isIn = (name: string) => pods.some((pod) => pod.endsWith(` on ${name}`));
      const names = fleet.members.map(({ name }) => name);
      const failing = names.filter(isIn);
      assert.ok(failing.length > 0);
      const ends = names.map((name) => [name, isIn(name) ? 'failed' : 'done'] as const);
      const victims = fleet.members.filter(({ name }) => isIn(name));
      return { ends: Object.fromEntries(ends), victims };
    };

    test('trap 19: a budget that allows nothing: no reboot, uncordoned, and named', async () => {
      await workload.setMinAvailable(3);
      const { ends, victims } = await blocked();
      const before = victims.map((member) => member.reboots());
      fleet.publish();
      fleet.start('--drain-timeout=4s');
      assert.deepEqual(await fleet.ends(), ends);
      const since = await settled();
      assert.deepEqual(
        victims.map((member) => member.reboots()),
        before,
      );
      for (const { name, agent } of victims) {
        assert.equal(condition(since, name), 'True/DrainFailed', name);
        assert.match(
          agent().output(),
          /blocked: pod default\/shop-\S+ by PodDisruptionBudget default\/shop/,
        );
      }
      keep(victims[0], 'drain-expired');
      await workload.setMinAvailable(2);
    });

    test('stopped in the middle of a drain the process ends, and the next one goes on', async () => {
      const { victims } = await blocked();
      await workload.setMinAvailable(3);
      fleet.publish();
      fleet.start();
      const holder = await fleet.holder();
      const isBlocked = victims.includes(holder);
      if (isBlocked) {
        await holder.agent().says(/is blocked by PodDisruptionBudget default\/shop/);
        await fleet.sees(holder.name, 'HostUpgradesReboot', /^True\/DrainBlocked$/);
      }
      // Each ends with 0, within its 5 s.
      await fleet.stopAgents();
      if (isBlocked) assert.equal((await fleet.holder()).name, holder.name);
      await workload.setMinAvailable(2);
      fleet.start();
      assert.deepEqual(await fleet.ends(), DONE);
      await settled();
      if (isBlocked) keep(holder, 'drain-stopped');
    });

    test('trap 26: two budgets for a pod: the drain fails at once, and names both', async () => {
      const { ends, victims } = await blocked();
      const before = victims.map((member) => member.reboots());
      const second = await createBudget(fleet.cluster, 'shop-too', workload.name);
      fleet.publish();
      fleet.start();
      assert.deepEqual(await fleet.ends(), ends);
      await second.remove();
      await settled();
      assert.deepEqual(
        victims.map((member) => member.reboots()),
        before,
      );
      for (const { agent } of victims) {
        assert.match(agent().output(), /the PodDisruptionBudgets shop and shop-too select it/);
      }
    });

    test('the agents needed all that their roles grant, and no more', async () => {
      assert.deepEqual(await fleet.permissions(), { forbidden: [], unused: [] });
    });
  },
);
