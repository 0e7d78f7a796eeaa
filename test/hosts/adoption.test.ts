import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { RunEvent } from '../../machines/events.ts';
import { type HostPort, openHost } from '../../src/host/host.ts';
import { requires } from '../requires.ts';
import { type Host, startHost } from './host.ts';
import { missing } from './image.ts';
import { type Gate, offer } from './packages.ts';
import { CONFIG, finished, openOn, optionsFor, runUpgrade, writeConfig } from './program.ts';
import { becomes, shows, startForeign, starts, stopForeign, upgradeUnit } from './unit.ts';

describe('an upgrade outlives its process', requires('real hosts', missing()), () => {
  let host: Host;
  let port: HostPort;
  before(async () => {
    host = await startHost();
    port = await openOn(host);
  });
  after(async () => {
    port?.close();
    await host?.stop();
  });

  /** Starts an upgrade in a process of its own, and kills that one. */
  const startAndKill = async (run: string, gate: Gate) => {
    host.hold(gate);
    const { warn: _, ...options } = optionsFor(host);
    const script = join(import.meta.dirname, 'starter.ts');
    const child = spawn(process.execPath, [script, JSON.stringify(options), run], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    await becomes(host, 'activating');
    if (gate === 'package') await shows(host, 'unattended-upgrade.out', 'Setting up hu-slow');
    child.kill('SIGKILL');
    await once(child, 'exit');
  };

  test('killed while it runs: adopted, one start, one whole result', async () => {
    offer(host.root, 'hu-slow', 'hu-plain');
    await startAndKill('killed', 'package');
    const before = await upgradeUnit(host);
    const next = await openHost(optionsFor(host));
    assert.equal(await next.isUpgrading(), true);
    const running = runUpgrade(next, { run: 'killed', resumed: true });
    assert.equal((await upgradeUnit(host))?.invocationId, before?.invocationId);
    host.letGo('package');
    const run = await running;
    const { output = '' } = finished(run);
    assert.match(output, /^Upgraded: .*hu-plain/m);
    assert.match(output, /^Upgraded: .*hu-slow/m);
    assert.match(run.output, /^Packages that will be upgraded: /m);
    assert.equal(host.version('hu-slow'), '2.0');
    assert.equal(starts(host), 1);
  });

  test('ended while nobody watched: its result is still there, and it is not run again', async () => {
    offer(host.root, 'hu-later');
    const before = starts(host);
    await startAndKill('late', 'update');
    host.letGo('update');
    await becomes(host, 'active');
    const run = await runUpgrade(port, { run: 'late', resumed: true });
    assert.match(finished(run).output ?? '', /^Upgraded: hu-later$/m);
    assert.match(run.output, /^Packages that will be upgraded: hu-later$/m);
    assert.equal(starts(host), before + 1);
    assert.equal(await upgradeUnit(host), null);
  });

  test('ended for a run that nobody remembers: the next run starts its own', async () => {
    const before = starts(host);
    await startAndKill('forgotten', 'update');
    host.letGo('update');
    await becomes(host, 'active');
    finished(await runUpgrade(port));
    assert.equal(starts(host), before + 2);
  });

  test('unsubscribing leaves the upgrade alone', async () => {
    host.hold('update');
    const events: RunEvent[] = [];
    const subscription = port.upgrade('left', false).subscribe((event) => events.push(event));
    await becomes(host, 'activating');
    subscription.unsubscribe();
    host.letGo('update');
    await becomes(host, 'active');
    assert.deepEqual(
      events.filter(({ type }) => type !== 'upgrade.output'),
      [],
    );
    finished(await runUpgrade(port, { run: 'left', resumed: true }));
  });

  test('no new configuration is put under an upgrade at work', async () => {
    await startForeign(host, 'sleep 60', '--setenv=HOST_PATH=/elsewhere');
    const path = join(host.mount, 'unattended-upgrades.conf');
    const before = host.exec('cat', path);
    writeConfig(host, `${CONFIG}// changed\n`);
    await openHost(optionsFor(host));
    assert.equal(host.exec('cat', path), before);
    stopForeign(host);
    const next = await openHost(optionsFor(host));
    assert.equal(host.exec('cat', path), before);
    finished(await runUpgrade(next));
    assert.match(host.exec('cat', path), /changed/);
  });
});
