import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { HostPort } from '../../src/host/host.ts';
import { requires } from '../requires.ts';
import { type Host, startHost } from './host.ts';
import { missing } from './image.ts';
import { offer } from './packages.ts';
import { configPath, failure, finished, openOn, runUpgrade } from './program.ts';
import { UNIT } from './unit.ts';

describe('upgrades on a real Debian host', requires('real hosts', missing()), () => {
  let host: Host;
  let port: HostPort;
  const lines: string[] = [];
  before(async () => {
    host = await startHost();
    port = await openOn(host, { log: (line) => lines.push(line) });
  });
  after(async () => {
    port?.close();
    await host?.stop();
  });

  test('the host says who it is', () => {
    assert.match(port.info.operatingSystem, /^Debian GNU\/Linux 12 /);
    assert.match(port.info.kernel, /^\d+\.\d+/);
    assert.ok(port.info.bootMs <= Date.now());
  });

  test('a start is told in the words of the original', () => {
    assert.deepEqual(lines, [
      `Load config from --config-path=${configPath(host)}`,
      `Probed host: ${port.info.operatingSystem}`,
    ]);
  });

  test('nothing to upgrade', async () => {
    const run = await runUpgrade(port);
    const status = finished(run);
    assert.equal(status.rebootRequired, false);
    assert.equal(status.changed, false);
    assert.match(run.output, /^No packages found that can be upgraded unattended/m);
    assert.match(status.detail, /^0001-01-01 00:00:00 \+0000 UTC {2}/);
  });

  test('a package is upgraded for real, its output shown while it runs', async () => {
    offer(host.root, 'hu-plain');
    assert.equal(host.version('hu-plain'), '1.0');
    const run = await runUpgrade(port);
    const { detail, output, changed } = finished(run);
    assert.equal(changed, true);
    assert.equal(host.version('hu-plain'), '2.0');
    assert.match(run.output, /^Packages that will be upgraded: hu-plain$/m);
    assert.match(output ?? '', /^Upgraded: hu-plain$/m);
    // The condition line shows unattended-upgrade's words and no more.
    assert.match(detail, /^All upgrades installed\n$/m);
    assert.doesNotMatch(detail, /Upgraded:/);
  });

  test('a run that is told leaves no unit, so that the name is free', () => {
    const units = host.exec('systemctl', 'list-units', '--all', '--plain', '--no-legend', UNIT);
    assert.equal(units, '');
  });

  test('the next run does not read what the last one left', async () => {
    const run = await runUpgrade(port);
    assert.doesNotMatch(run.output, /Packages that will be upgraded/);
    assert.doesNotMatch(finished(run).output ?? '', /hu-plain/);
  });

  test('a package that asks for a reboot, and the time since when', async () => {
    offer(host.root, 'hu-reboot');
    const status = finished(await runUpgrade(port));
    assert.equal(status.rebootRequired, true);
    assert.equal(status.rebootMessage, '*** System restart required *** (hu-reboot, libc6)');
    const stamp = host.exec('stat', '--format=%Y', '/run/reboot-required').trim();
    assert.equal(Math.floor((status.sinceMs ?? 0) / 1_000), Number(stamp));
    const since = new Date(Number(stamp) * 1_000).toISOString().slice(0, 19).replace('T', ' ');
    assert.ok(status.detail.startsWith(since), status.detail);
    assert.match(status.detail, /^\S+ \S+ \+0000 UTC \*\*\* System restart required \*\*\*\n /);
    host.exec('rm', '/run/reboot-required', '/run/reboot-required.pkgs');
    assert.equal(finished(await runUpgrade(port)).rebootRequired, false);
  });

  test('a noisy package: bounded, progress bars at their last state, bad bytes replaced', async () => {
    offer(host.root, 'hu-noisy');
    const run = await runUpgrade(port);
    assert.match(run.output, /^bad \uFFFD byte$/m);
    assert.doesNotMatch(run.output, /progress 1%/);
    assert.ok(run.events.length <= 1_100, `${run.events.length} events`);
    assert.match(finished(run).output ?? '', /^Upgraded: hu-noisy$/m);
  });

  test('package lists that cannot be read', async () => {
    const list = join(host.root, 'etc/apt/sources.list.d/gone.list');
    host.exec('sh', '-c', 'echo "deb file:/gone ./" >/etc/apt/sources.list.d/gone.list');
    const message = failure(await runUpgrade(port));
    assert.match(message, /^Failed to run apt-get update: exit status 100\n/);
    assert.match(message, /^E: .*\/gone/m);
    host.exec('rm', '/etc/apt/sources.list.d/gone.list');
    assert.equal(existsSync(list), false);
  });

  test('a host without unattended-upgrades says which package to install', async () => {
    host.exec('mv', '/usr/bin/unattended-upgrade', '/usr/bin/hidden');
    const message = failure(await runUpgrade(port));
    host.exec('mv', '/usr/bin/hidden', '/usr/bin/unattended-upgrade');
    assert.match(message, /install the package unattended-upgrades$/);
  });

  test('a failing maintainer script is the failure’s cause, with its output', async () => {
    offer(host.root, 'hu-failing');
    const run = await runUpgrade(port);
    const message = failure(run);
    assert.match(
      message,
      /^Failed to run unattended-upgrades: exit status 1: dpkg: error processing package hu-failing \(--configure\): .*exit status 7\n/,
    );
    assert.match(message, /^the disk is on fire$/m);
    assert.match(run.output, /^the disk is on fire$/m);
  });

  test('what it left half installed fails the next run too, whatever the exit code', async () => {
    const message = failure(await runUpgrade(port));
    assert.match(
      message,
      /^Failed to run unattended-upgrades: half installed: hu-failing; run dpkg --configure -a/,
    );
    // Of this run, not of the one before.
    assert.doesNotMatch(message, /on fire/);
    const shown = readFileSync(join(host.mount, 'unattended-upgrade.out'), 'utf8');
    assert.match(shown, /No packages found that can be upgraded/);
  });
});
