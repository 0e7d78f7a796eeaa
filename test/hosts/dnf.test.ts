import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { lastValueFrom, toArray } from 'rxjs';
import { type HostPort, openHost } from '../../src/host/host.ts';
import { requires } from '../requires.ts';
import { type Host, startHost } from './host.ts';
import { failure, finished, optionsFor, runUpgrade, upgraded, writeConfigs } from './program.ts';
import { missingRpm, rpmImage } from './rpm-image.ts';
import { offerRpm, rpmVersion, withdrawRpm } from './rpm-packages.ts';
import { shows } from './unit.ts';

describe('upgrades on a real host with dnf', requires('real hosts with dnf', missingRpm()), () => {
  let host: Host;
  let port: HostPort;
  const lines: string[] = [];
  const open = () => openHost(optionsFor(host, { busyPauseS: 1, log: (line) => lines.push(line) }));
  before(async () => {
    host = await startHost({}, rpmImage('dnf'));
    writeConfigs(host, {});
    port = await open();
  });
  after(async () => {
    port?.close();
    await host?.stop();
  });
  const check = async () =>
    finished(upgraded(await lastValueFrom(port.rebootRequired('check').pipe(toArray()))));

  test('the host says who it is', () => {
    assert.ok(lines.includes('Probed host: Rocky Linux 9.4 (of the tests)'), lines.join('\n'));
  });

  test('nothing to upgrade, no reboot', async () => {
    const status = finished(await runUpgrade(port));
    assert.equal(status.rebootRequired, false);
    assert.equal(status.rebootUnknown, undefined);
    assert.equal(status.changed, false);
  });

  for (const [program, name] of [
    ['dnf-automatic', 'hu-plain'],
    ['dnf upgrade', 'hu-later'],
  ] as const) {
    test(`a package is upgraded for real: ${program}`, async () => {
      if (program === 'dnf upgrade') host.exec('mv', '/usr/bin/dnf-automatic', '/usr/bin/hidden');
      offerRpm(host, name);
      assert.equal(rpmVersion(host, name), '1.0');
      const run = await runUpgrade(port);
      const status = finished(run);
      assert.equal(rpmVersion(host, name), '2.0');
      assert.equal(status.changed, true);
      assert.match(status.output ?? '', new RegExp(`^Upgraded: ${name}$`, 'm'));
      assert.match(run.output, /^Running transaction$/m);
    });
  }

  test('what cannot be installed is held back, and said', async () => {
    offerRpm(host, 'hu-broken');
    const status = finished(await runUpgrade(port));
    assert.match(status.output ?? '', /^Held back: hu-broken \(broken dependencies\)$/m);
    assert.equal(status.changed, false);
    withdrawRpm(host, 'hu-broken');
  });

  for (const name of ['hu-pre', 'hu-post']) {
    test(`a failing script of a package is the failure’s cause: ${name}`, async () => {
      offerRpm(host, name);
      const message = failure(await runUpgrade(port));
      assert.match(
        message,
        /^Failed to run dnf: .*%(prein|post)\(\S+\) scriptlet failed, exit status 7\n/,
      );
      assert.match(message, /^the disk is on fire$/m);
      withdrawRpm(host, name);
    });
  }

  test('also where dnf-automatic ends well', async () => {
    host.exec('mv', '/usr/bin/hidden', '/usr/bin/dnf-automatic');
    offerRpm(host, 'hu-pre');
    const message = failure(await runUpgrade(port));
    assert.match(message, /^Failed to run dnf: \S*error: %prein\(hu-pre\S+\) scriptlet failed/);
    withdrawRpm(host, 'hu-pre');
  });

  test('another dnf is waited for', async () => {
    offerRpm(host, 'hu-slow', 'hu-reboot');
    host.hold('package');
    host.exec('systemd-run', '--collect', 'dnf', '-y', '--refresh', 'upgrade', 'hu-slow');
    await shows(host, '../root/var/lib/dnf/rpmdb_lock.pid', '');
    const running = runUpgrade(port);
    await shows(host, 'dnf.out', 'another package manager is at work, trying again in 1 s');
    host.letGo('package');
    const status = finished(await running);
    assert.equal(rpmVersion(host, 'hu-slow'), '2.0');
    assert.match(status.output ?? '', /^Upgraded: (hu-slow, )?hu-reboot/m);
  });

  test('the package that asks for a reboot is named, with the time since when', async () => {
    const status = await check();
    assert.equal(status.rebootRequired, true);
    assert.equal(status.rebootMessage, 'Reboot is required: hu-reboot');
    const time = host.exec('rpm', '-q', '--queryformat', '%{INSTALLTIME}', 'hu-reboot');
    assert.equal(status.sinceMs, Number(time) * 1_000);
  });

  test('trap 8: without needs-restarting nobody can say', async () => {
    const plugin = '/usr/lib/python3/dist-packages/dnf-plugins/needs_restarting.py';
    host.exec('mv', plugin, '/root/hidden.py');
    const status = await check();
    host.exec('mv', '/root/hidden.py', plugin);
    assert.equal(status.rebootRequired, false);
    assert.match(
      status.rebootUnknown ?? '',
      /^dnf needs-restarting -r: exit status 1: .*; install the package dnf-plugins-core /,
    );
  });

  test('trap 12: a configuration of three lines upgrades; one that installs nothing is refused', async () => {
    offerRpm(host, 'hu-stack');
    const three =
      '[commands]\nupgrade_type = default\nrandom_sleep = 360\n[emitters]\nemit_via = stdio\n';
    writeConfigs(host, { 'dnf-automatic.conf': three });
    finished(await runUpgrade(port));
    assert.equal(rpmVersion(host, 'hu-stack'), '2.0');
    writeConfigs(host, { 'dnf-automatic.conf': '[commands]\napply_updates = no\n' });
    assert.match(
      failure(await runUpgrade(port)),
      /dnf-automatic\.conf: apply_updates = no installs nothing/,
    );
    writeConfigs(host, {});
  });

  test('a host without dnf says which package to install', async () => {
    host.exec('mv', '/usr/bin/dnf', '/usr/bin/hidden');
    const message = failure(await runUpgrade(port));
    host.exec('mv', '/usr/bin/hidden', '/usr/bin/dnf');
    assert.equal(message.split('\n')[0], 'dnf is not on the host: install the package dnf');
  });

  test('trap 11: after the reboot it is required no more, and nothing has changed', async () => {
    await host.reboot();
    port = await open();
    const status = finished(await runUpgrade(port));
    assert.equal(status.rebootRequired, false);
    assert.equal(status.changed, false);
    assert.equal((await check()).changed, false);
  });
});
