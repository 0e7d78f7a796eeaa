import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { type HostPort, openHost } from '../../src/host/host.ts';
import { poll } from '../cluster/cluster.ts';
import { requires } from '../requires.ts';
import { type Host, LOGIN1, startHost } from './host.ts';
import { missing } from './image.ts';
import { failure, finished, openOn, optionsFor, runUpgrade } from './program.ts';
import { upgradeUnit } from './unit.ts';

describe('a real host that goes down and comes back', requires('real hosts', missing()), () => {
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

  test('a reboot: a new boot of the same system, with nothing of the run left', async () => {
    finished(await runUpgrade(port, { run: 'before' }));
    const before = host.bootId();
    host.exec('touch', '/etc/hu-kept');
    await host.reboot();
    assert.notEqual(host.bootId(), before);
    assert.equal(host.exec('ls', '/etc/hu-kept').trim(), '/etc/hu-kept');
    assert.deepEqual(readdirSync(host.mount), []);
    const again = await openHost(optionsFor(host));
    assert.ok(again.info.bootMs > port.info.bootMs);
    assert.equal(await again.isUpgrading(), false);
    // Interrupted by the reboot, it is done now.
    finished(await runUpgrade(again, { run: 'before', resumed: true }));
    port = again;
  });

  const lingers = 'until [ -e /run/hu-go-on ]; do sleep 0.05; done';

  test('trap 40: a shutdown that somebody delays is no failed upgrade', async () => {
    const inhibit = ['systemd-inhibit', '--what=shutdown', '--mode=delay', 'sh', '-c', lingers];
    host.exec('systemd-run', '--unit=hu-delays', ...inhibit);
    await poll(async () => /\bsh\b/.test(host.exec('systemd-inhibit', '--list')), 20_000);
    host.exec('busctl', 'call', ...LOGIN1, 'Reboot', 'b', 'false');
    const message = failure(await runUpgrade(port));
    assert.equal(message, 'the host is shutting down: waiting for programs that delay it');
    host.exec('touch', '/run/hu-go-on');
    await host.rebooted(2);
    port = await openHost(optionsFor(host));
  });

  test('trap 40: a shutdown under way is no failed upgrade', async () => {
    // It takes its time to stop, and the bus stays until it has.
    const service = ['--unit=hu-lingers', '--property=After=dbus.service'];
    const stop = `--property=ExecStop=/bin/sh -c '${lingers}'`;
    host.exec('systemd-run', ...service, stop, 'sleep', 'infinity');
    const mode = ['--job-mode=replace-irreversibly', '--no-block'];
    host.exec('systemctl', 'start', 'reboot.target', ...mode);
    const message = failure(await runUpgrade(port));
    assert.match(message, /^the host is shutting down: .*destructive/i);
    host.exec('touch', '/run/hu-go-on');
    await host.rebooted(3);
    assert.equal(await upgradeUnit(host), null);
  });
});
