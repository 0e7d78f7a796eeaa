import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type HostPort, openHost } from '../../src/host/host.ts';
import { poll } from '../cluster/cluster.ts';
import { requires } from '../requires.ts';
import { type Host, startHost } from './host.ts';
import { failure, finished, optionsFor, runUpgrade, writeConfigs } from './program.ts';
import { missingRpm, rpmImage } from './rpm-image.ts';
import { offerRpm, rpmVersion, withdrawRpm } from './rpm-packages.ts';
import { shows } from './unit.ts';

describe(
  'upgrades on a real host with zypper',
  requires('real hosts with zypper', missingRpm()),
  () => {
    let host: Host;
    let port: HostPort;
    const lines: string[] = [];
    const open = () =>
      openHost(optionsFor(host, { busyPauseS: 1, log: (line) => lines.push(line) }));
    before(async () => {
      host = await startHost({}, rpmImage('zypper'));
      writeConfigs(host, {});
      port = await open();
    });
    after(async () => {
      port?.close();
      await host?.stop();
    });

    test('the host says who it is', () => {
      assert.ok(lines.includes('Probed host: openSUSE Leap 15.6 (of the tests)'), lines.join('\n'));
    });

    test('nothing to patch, no reboot', async () => {
      const status = finished(await runUpgrade(port));
      assert.equal(status.rebootRequired, false);
      assert.equal(status.rebootUnknown, undefined);
      assert.equal(status.changed, false);
    });

    test('its own stack first, and then the rest, in one run', async () => {
      offerRpm(host, 'hu-stack', 'hu-plain');
      const run = await runUpgrade(port);
      const status = finished(run);
      assert.equal(rpmVersion(host, 'hu-stack'), '2.0');
      assert.equal(rpmVersion(host, 'hu-plain'), '2.0');
      assert.equal(status.changed, true);
      assert.match(status.output ?? '', /^Upgraded: hu-plain, hu-stack$/m);
      assert.match(
        run.output,
        /^Warning: One of the installed patches affects the package manager/m,
      );
    });

    test('trap 14: a file of Debian’s says nothing here', async () => {
      host.exec('touch', '/run/reboot-required');
      assert.equal(finished(await runUpgrade(port)).rebootRequired, false);
    });

    test('a patch that asks for a reboot is installed, and the reboot is due', async () => {
      offerRpm(host, 'hu-reboot');
      const status = finished(await runUpgrade(port));
      assert.equal(rpmVersion(host, 'hu-reboot'), '2.0');
      assert.equal(status.rebootRequired, true);
      assert.match(status.rebootMessage ?? '', /^Reboot is (required|suggested) to ensure [^\n]+$/);
      const stamp = host.exec('stat', '--format=%Y', '/run/reboot-needed').trim();
      assert.equal(status.sinceMs, Number(stamp) * 1_000);
      const again = finished(await runUpgrade(port));
      assert.equal(again.rebootRequired, true);
      assert.equal(again.changed, false);
      assert.equal(again.rebootMessage, status.rebootMessage);
    });

    for (const [name, cause] of [
      [
        'hu-pre',
        /^Failed to run zypper patch: exit status 8: packages could not be .*%prein\(\S+ scriptlet failed/,
      ],
      [
        'hu-post',
        /^Failed to run zypper patch: exit status 107: a package’s script failed: .*%post\(\S+ scriptlet failed/,
      ],
      ['hu-broken', /^Failed to run zypper patch: exit status 4: Problem: .*what-nobody-provides/],
    ] as const) {
      test(`a patch that cannot be installed is the failure’s cause: ${name}`, async () => {
        offerRpm(host, name);
        assert.match(failure(await runUpgrade(port)), cause);
        withdrawRpm(host, name);
      });
    }

    test('a repository that is gone: not known to be up to date', async () => {
      const repos = '/etc/zypp/repos.d';
      const copy = `sed 's/hu/gone/; s/repository-rpm/nowhere/' ${repos}/hu.repo >${repos}/gone.repo`;
      host.exec('sh', '-c', copy);
      const message = failure(await runUpgrade(port));
      host.exec('rm', `${repos}/gone.repo`);
      assert.match(
        message,
        /exit status 106: repositories were skipped.*: Skipping repository 'gone'\n/,
      );
    });

    test('another zypper is waited for', async () => {
      offerRpm(host, 'hu-slow');
      host.hold('package');
      host.exec('systemd-run', '--collect', 'zypper', '--non-interactive', 'update', 'hu-slow');
      await poll(async () => host.exec('ls', '/run').includes('zypp.pid'), 20_000);
      const running = runUpgrade(port);
      await shows(host, 'zypper.out', 'another package manager is at work, trying again in 1 s');
      host.letGo('package');
      finished(await running);
      assert.equal(rpmVersion(host, 'hu-slow'), '2.0');
    });

    test('a host without zypper says which package to install', async () => {
      host.exec('mv', '/usr/bin/zypper', '/usr/bin/hidden');
      const message = failure(await runUpgrade(port));
      host.exec('mv', '/usr/bin/hidden', '/usr/bin/zypper');
      assert.match(message, /^zypper is not on the host: install the package zypper/);
    });

    test('after the reboot it is required no more', async () => {
      await host.reboot();
      port = await open();
      const status = finished(await runUpgrade(port));
      assert.equal(status.rebootRequired, false);
      assert.equal(status.changed, false);
    });
  },
);
