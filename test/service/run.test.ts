import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import { replayLog } from '../../src/trace/replay.ts';
import { replayJournal } from '../../src/trace/replay-journal.ts';
import { missing as missingCluster } from '../cluster/build.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { type Host, startHost } from '../hosts/host.ts';
import { missing as missingHost } from '../hosts/image.ts';
import { offer } from '../hosts/packages.ts';
import { CONFIG, writeConfig } from '../hosts/program.ts';
import { becomes, starts } from '../hosts/unit.ts';
import { annotate } from '../kube/objects.ts';
import { requires } from '../requires.ts';
import { createProgramNode, journalOf, type Node, type Program } from './program.ts';

const needed = requires('control plane and real hosts', missingCluster() || missingHost());

describe('the program on a real API server and a real host', needed, () => {
  let cluster: Cluster;
  let host: Host;
  const nodes: Node[] = [];
  before(async () => {
    [cluster, host] = await Promise.all([startCluster(), startHost()]);
    writeConfig(host, CONFIG);
  });
  after(async () => {
    for (const node of nodes) node.remove();
    await host?.stop();
    await cluster?.stop();
  });
  const nodeOf = async (name: string, annotations: Record<string, string> = {}) => {
    const node = await createProgramNode(cluster, host, name, annotations);
    nodes.push(node);
    return node;
  };
  /** The journal folds, and ends where a run ends. */
  const assertJournal = (node: Node, runs = 1, end = 'done') => {
    const text = journalOf(node);
    const replay = replayJournal(text);
    // `RECORD_HISTORIES=true` keeps it, to be replayed by every later version (test/histories).
    if (process.env.RECORD_HISTORIES === 'true') {
      writeFileSync(new URL(`../histories/${node.name}.ndjson`, import.meta.url), text);
    }
    assert.equal(replay.divergence, null);
    assert.deepEqual([replay.runs, replay.records.at(-1)?.to], [runs, end]);
    return replay.records.map(({ event }) => event?.type);
  };
  const assertLog = (text: string, runs = 1) => {
    const replay = text.startsWith('{') ? replayJournal(text) : replayLog(text);
    assert.deepEqual([replay.divergence, replay.runs], [null, runs]);
  };
  const killed = async (program: Program) => {
    program.child.kill('SIGKILL');
    assert.equal(await program.ended(), 'SIGKILL');
  };

  test('one run: lock, upgrade, conditions, release; its log and its journal replay', async () => {
    const node = await nodeOf('once');
    offer(host.root, 'hu-plain');
    const program = node.start();
    assert.equal(await program.ended(), 0, program.output());
    assert.equal(host.version('hu-plain'), '2.0');
    assert.equal(await node.lock(), undefined);
    const { status, reason, message } = (await node.condition('HostUpgrades')) ?? {};
    assert.deepEqual([status, reason], ['True', 'UpToDate']);
    assert.match(message ?? '', /hu-plain/);
    const reboot = await node.condition('HostUpgradesReboot');
    assert.deepEqual([reboot?.status, reboot?.reason], ['False', 'UpToDate']);
    assert.match(program.output(), /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d host-upgrades version /);
    assert.match(program.output(), / host: Packages that will be upgraded: hu-plain\n/);
    assert.match(program.output(), / Done\n$/);
    assertLog(program.output());
    assertJournal(node);
  });

  test('the JSON log carries the history', async () => {
    const node = await nodeOf('json');
    const program = node.start('--log-format=json');
    assert.equal(await program.ended(), 0, program.output());
    assertLog(program.output());
    const rows = program.output().trim().split('\n');
    assert.ok(rows.every((row) => typeof JSON.parse(row).msg === 'string'));
  });

  test('killed in the middle of an upgrade: the next start goes on with it, started once', async () => {
    const node = await nodeOf('killed');
    offer(host.root, 'hu-slow');
    host.hold('package');
    const before = starts(host);
    const first = node.start();
    await first.says(/Running host upgrades/);
    await becomes(host, 'activating');
    await killed(first);
    assert.equal(await node.lock(), 'killed');
    const second = node.start();
    await second.says(/Resuming the interrupted run/);
    host.letGo('package');
    assert.equal(await second.ended(), 0, second.output());
    assert.equal(starts(host), before + 1);
    assert.equal(host.version('hu-slow'), '2.0');
    assert.equal(await node.lock(), undefined);
    assertLog(first.output() + second.output());
    assertLog(second.output());
    const events = assertJournal(node);
    assert.ok(events.includes('run.interrupted') && events.includes('run.resumed'));
  });

  test('the JSON log of the process that goes on is a history of its own', async () => {
    const node = await nodeOf('resumed-json');
    host.hold('update');
    const first = node.start('--log-format=json');
    await first.says(/Running host upgrades/);
    await becomes(host, 'activating');
    await killed(first);
    const second = node.start('--log-format=json');
    await second.says(/Resuming the interrupted run/);
    host.letGo('update');
    assert.equal(await second.ended(), 0, second.output());
    assertLog(second.output());
    assertLog(first.output() + second.output());
  });

  test('told to stop in the middle of an upgrade: it ends, and the next start goes on', async () => {
    const node = await nodeOf('stopped');
    host.hold('update');
    const before = starts(host);
    const first = node.start();
    await first.says(/Running host upgrades/);
    await becomes(host, 'activating');
    first.child.kill('SIGTERM');
    assert.equal(await first.ended(), 143);
    assert.match(first.output(), /Stopping, the next start goes on with this run/);
    const second = node.start();
    await second.says(/Resuming the interrupted run/);
    host.letGo('update');
    assert.equal(await second.ended(), 0, second.output());
    assert.equal(starts(host), before + 1);
    assertLog(first.output() + second.output());
    assertJournal(node);
  });

  test('killed, and the journal lost: the lock and the unit are enough to go on', async () => {
    const node = await nodeOf('lost');
    host.hold('update');
    const before = starts(host);
    const first = node.start();
    await first.says(/Running host upgrades/);
    await becomes(host, 'activating');
    await killed(first);
    rmSync(node.statePath, { recursive: true });
    const second = node.start();
    await second.says(/Adopting the upgrade that is still running/);
    host.letGo('update');
    assert.equal(await second.ended(), 0, second.output());
    assert.equal(starts(host), before + 1);
    assert.equal(await node.lock(), undefined);
    assertLog(second.output());
    assertJournal(node);
  });

  test('killed while it waits for the lock: nothing is held, the next start waits on', async () => {
    const node = await nodeOf('waiting', { [LOCK_ANNOTATION]: 'somebody' });
    const first = node.start();
    await first.says(/: watch v1.ListOptions/);
    await killed(first);
    const second = node.start();
    await second.says(/Resuming the interrupted run[\s\S]*: watch v1.ListOptions/);
    await annotate(cluster, 'waiting', null);
    assert.equal(await second.ended(), 0, second.output());
    assertLog(first.output() + second.output());
    assertJournal(node);
  });

  test('told to stop while it waits for the lock: it ends at once and holds nothing', async () => {
    const node = await nodeOf('stopping', { [LOCK_ANNOTATION]: 'somebody' });
    const program = node.start();
    await program.says(/: watch v1.ListOptions/);
    program.child.kill('SIGINT');
    assert.equal(await program.ended(), 130);
    assert.equal(await node.lock(), 'somebody');
    assertLog(program.output());
    assertJournal(node, 1, 'stopped');
  });

  test('told to stop while a request hangs: it ends all the same, and the next start goes on', async () => {
    const node = await nodeOf('hanging');
    host.hold('update');
    const first = node.start();
    await first.says(/Running host upgrades/);
    await becomes(host, 'activating');
    cluster.pause();
    try {
      host.letGo('update');
      await first.says(/Update kube node hanging condition/);
      first.child.kill('SIGTERM');
      assert.equal(await first.ended(), 143);
    } finally {
      cluster.resume();
    }
    assert.match(first.output(), /Stopping in the middle of a run; the next start goes on\n$/);
    assert.equal(await node.lock(), 'hanging');
    const second = node.start();
    assert.equal(await second.ended(), 0, second.output());
    assert.match(second.output(), /Resuming the interrupted run/);
    assert.equal(await node.lock(), undefined);
    assertJournal(node);
  });

  test('a reader that goes away does not stop an upgrade', async () => {
    const node = await nodeOf('unread');
    const program = node.start();
    program.child.stdout?.destroy();
    assert.equal(await program.ended(), 0);
    assertJournal(node);
  });

  test('a lock of its own that nobody needs is released at the start', async () => {
    const node = await nodeOf('own', { [LOCK_ANNOTATION]: 'own' });
    const program = node.start('--schedule=0 0 1 1 *');
    await program.says(/first upgrade at/);
    assert.equal(await node.lock(), undefined);
    assert.match(program.output(), /Released kube lock kube-system\/daemonsets\/own \(value=own\)/);
    program.child.kill('SIGTERM');
    assert.equal(await program.ended(), 0);
    assertLog(program.output(), 0);
  });

  test('the API server is away at the start: the service waits for it', async () => {
    const node = await nodeOf('early');
    await cluster.stopApiServer();
    const program = node.start('--schedule=0 0 1 1 *');
    await program.says(/Failed to initialize kube, retrying in 1s: .*connection refused/);
    await cluster.startApiServer();
    await program.says(/first upgrade at/);
    program.child.kill('SIGTERM');
    assert.equal(await program.ended(), 0);
    // A run that must happen now does not wait for ever.
    await cluster.stopApiServer();
    const once = node.start();
    assert.equal(await once.ended(), 1);
    assert.match(once.output(), /Failed to initialize kube: .*connection refused\n$/);
    await cluster.startApiServer();
  });

  // Last: it leaves a broken package behind.
  test('a failed run is reported, and the service goes on to the next tick', async () => {
    const node = await nodeOf('failing');
    offer(host.root, 'hu-failing');
    const program = node.start('--schedule=@every 3s', '--schedule-window=2s');
    await program.says(/Schedule run failed after /);
    const { status, reason, message } = (await node.condition('HostUpgrades')) ?? {};
    assert.deepEqual([status, reason], ['Unknown', 'UpgradeFailed']);
    assert.match(message ?? '', /the disk is on fire/);
    assert.equal(await node.lock(), undefined);
    await program.says(/Schedule run failed after [\s\S]*Schedule run failed after /);
    program.child.kill('SIGTERM');
    assert.equal(await program.ended(), 0);
    const once = node.start();
    assert.equal(await once.ended(), 1);
    assertLog(once.output());
    assert.equal(replayJournal(journalOf(node)).divergence, null);
  });
});
