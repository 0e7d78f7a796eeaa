import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { lastValueFrom, toArray } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import { type Bus, connectBus } from '../../src/host/bus.ts';
import { type DebianOptions, isUpgrading, UNIT, upgrade } from '../../src/host/debian.ts';
import { probeHost } from '../../src/host/probe.ts';
import { unitState } from '../../src/host/systemd.ts';
import { poll } from '../cluster/cluster.ts';
import { requires } from '../requires.ts';
import { type Host, startHost } from './host.ts';
import { missing, offer } from './image.ts';

const CONFIG = `#clear Unattended-Upgrade::Origins-Pattern;
#clear Unattended-Upgrade::Allowed-Origins;
Unattended-Upgrade::Origins-Pattern { "origin=HostUpgradesTest"; };
`;

describe('upgrades on a real Debian host', requires('real hosts', missing()), () => {
  let host: Host;
  let bus: Bus;
  before(async () => {
    host = await startHost();
    bus = await connectBus(host.bus());
  });
  after(async () => {
    bus?.close();
    await host?.stop();
  });

  const options = (more: Partial<DebianOptions> = {}): DebianOptions => ({
    bus,
    mount: host.mount,
    config: new Map([['unattended-upgrades.conf', CONFIG]]),
    bootMs: 0,
    followMs: 50,
    journalPath: host.journal(),
    ...more,
  });
  let runs = 0;
  const run = async (more: Partial<DebianOptions> = {}) => {
    runs += 1;
    const events = await lastValueFrom(upgrade(options(more), `r${runs}`, false).pipe(toArray()));
    const last = events.at(-1);
    assert.ok(last);
    return { events, last, output: outputOf(events) };
  };

  test('the host says who it is', async () => {
    const info = await probeHost(bus);
    assert.equal(info.operatingSystem, 'Debian GNU/Linux 12 (bookworm)');
    assert.ok(info.bootMs > Date.UTC(2020, 0, 1));
  });

  test('nothing to upgrade', async () => {
    const { last } = await run();
    assert.equal(last.type, 'upgrade.finished', JSON.stringify(last));
    assert.equal(last.type === 'upgrade.finished' && last.status.rebootRequired, false);
  });

  test('a package is upgraded for real, its output shown as events', async () => {
    offer(host.root, 'hu-plain');
    assert.equal(host.version('hu-plain'), '1.0');
    const { last, output } = await run();
    assert.equal(last.type, 'upgrade.finished', JSON.stringify(last));
    assert.equal(host.version('hu-plain'), '2.0');
    assert.match(output, /Packages that will be upgraded: hu-plain/);
    assert.match(last.type === 'upgrade.finished' ? (last.status.output ?? '') : '', /hu-plain/);
  });

  test('a package that asks for a reboot', async () => {
    offer(host.root, 'hu-reboot');
    const { last } = await run();
    assert.ok(last.type === 'upgrade.finished', JSON.stringify(last));
    assert.equal(last.status.rebootRequired, true);
    assert.equal(last.status.rebootMessage, '*** System restart required *** (hu-reboot)');
    assert.ok(last.status.sinceMs);
    host.exec('rm', '/run/reboot-required', '/run/reboot-required.pkgs');
  });

  test('another apt that holds the lock is waited for', async () => {
    const holder =
      'import fcntl,time,os; f=open("/var/lib/dpkg/lock-frontend","w"); fcntl.lockf(f,fcntl.LOCK_EX); g=open("/var/lib/apt/lists/lock","w"); fcntl.lockf(g,fcntl.LOCK_EX); open("/run/hu-holds","w");\nwhile os.path.exists("/run/hu-holds"): time.sleep(0.05)';
    host.exec('systemd-run', '--unit=hu-holder', 'python3', '-c', holder);
    await poll(async () => host.exec('sh', '-c', 'ls /run').includes('hu-holds'), 20_000);
    const waiting = run({ busyPauseS: 1 });
    await poll(
      async () => readFileSync(join(host.mount, 'apt-get-update.out'), 'utf8').includes('lock'),
      20_000,
    );
    host.exec('rm', '/run/hu-holds');
    assert.equal((await waiting).last.type, 'upgrade.finished');
  });

  test('an apt that never lets go is busy, not broken', async () => {
    const holder =
      'import fcntl,time; g=open("/var/lib/apt/lists/lock","w"); fcntl.lockf(g,fcntl.LOCK_EX); open("/run/hu-holds","w"); time.sleep(60)';
    host.exec('systemd-run', '--unit=hu-holder-2', 'python3', '-c', holder);
    await poll(async () => host.exec('sh', '-c', 'ls /run').includes('hu-holds'), 20_000);
    const { last } = await run({ busyPauseS: 1, busyLimitS: 2 });
    host.exec('systemctl', 'stop', 'hu-holder-2');
    host.exec('rm', '/run/hu-holds');
    assert.ok(last.type === 'upgrade.failed');
    assert.match(last.message, /^package manager busy: /);
  });

  test('the unit outlives the process that started it, and is adopted by the next', async () => {
    offer(host.root, 'hu-slow');
    const script = join(import.meta.dirname, 'starter.ts');
    const child = spawn(process.execPath, [script, host.bus(), host.mount], {
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    child.stdin.end(CONFIG);
    await poll(async () => (await unitState(bus, UNIT))?.activeState === 'activating', 20_000);
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.equal(await isUpgrading(bus), true);
    const before = await unitState(bus, UNIT);
    const adopted = lastValueFrom(upgrade(options(), 'starter', true).pipe(toArray()));
    host.exec('touch', '/run/hu-go-on');
    const events = await adopted;
    assert.equal(events.at(-1)?.type, 'upgrade.finished', JSON.stringify(events.at(-1)));
    assert.equal(host.version('hu-slow'), '2.0');
    assert.equal((await unitState(bus, UNIT))?.invocationId, before?.invocationId);
    // Ended while nobody watched: its result is still there for the run that started it.
    const late = await lastValueFrom(upgrade(options(), 'starter', true));
    assert.equal(late.type, 'upgrade.finished');
    assert.equal((await unitState(bus, UNIT))?.invocationId, before?.invocationId);
  });

  test('a failing maintainer script is the failure’s text', async () => {
    offer(host.root, 'hu-failing');
    const { last } = await run();
    assert.ok(last.type === 'upgrade.failed', JSON.stringify(last));
    assert.match(last.message, /^Failed to run unattended-upgrades: exit status 1: /);
    assert.match(last.message, /hu-failing/);
    assert.match(readFileSync(join(host.mount, 'unattended-upgrade.out'), 'utf8'), /hu-failing/);
  });

  test('after a failed run the next one starts again', async () => {
    const { last } = await run();
    assert.ok(last.type === 'upgrade.failed');
    assert.doesNotMatch(last.message, /already loaded/);
  });

  test('a running unit of somebody else is neither started again nor killed', async () => {
    host.exec('systemctl', 'reset-failed', UNIT);
    host.exec(
      'systemd-run',
      '--no-block',
      '--service-type=oneshot',
      `--unit=${UNIT}`,
      'sleep',
      '30',
    );
    await poll(async () => (await unitState(bus, UNIT))?.activeState === 'activating', 20_000);
    const { last } = await run();
    assert.ok(last.type === 'upgrade.failed');
    assert.match(last.message, /already running on the host, started by somebody else/);
    assert.equal(await isUpgrading(bus), true);
    host.exec('systemctl', 'stop', UNIT);
  });

  test('a host without unattended-upgrades says which package to install', async () => {
    host.exec('mv', '/usr/bin/unattended-upgrade', '/usr/bin/hidden');
    const { last } = await run();
    host.exec('mv', '/usr/bin/hidden', '/usr/bin/unattended-upgrade');
    assert.ok(last.type === 'upgrade.failed');
    assert.match(last.message, /install the package unattended-upgrades/);
  });
});

test('no bus: one line that says where and what to do', async () => {
  await assert.rejects(connectBus('unix:path=/nowhere/bus'), (error: Error) => {
    assert.match(
      error.message,
      /^no system bus at unix:path=\/nowhere\/bus: .*ENOENT.*; mount the host's \/var\/run\/dbus$/,
    );
    return true;
  });
});

function outputOf(events: RunEvent[]): string {
  return events.map((event) => (event.type === 'upgrade.output' ? `${event.text}\n` : '')).join('');
}
