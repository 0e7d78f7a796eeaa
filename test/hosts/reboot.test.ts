import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { type HostPort, openHost } from '../../src/host/host.ts';
import { requires } from '../requires.ts';
import { type Host, startHost } from './host.ts';
import { missing } from './image.ts';
import { failure, finished, openOn, optionsFor, runUpgrade } from './program.ts';
import { UNIT } from './unit.ts';

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

  test('a shutdown under way is no failed upgrade', async () => {
    // It takes its time to stop, and the bus stays until it has.
    const service = ['--unit=hu-lingers', '--property=After=dbus.service'];
    const lingers =
      "--property=ExecStop=/bin/sh -c 'until [ -e /run/hu-go-on ]; do sleep 0.05; done'";
    host.exec('systemd-run', ...service, lingers, 'sleep', 'infinity');
    host.exec(
      'systemctl',
      'start',
      'reboot.target',
      '--job-mode=replace-irreversibly',
      '--no-block',
    );
    const message = failure(await runUpgrade(port));
    assert.match(message, /^the host is shutting down: .*destructive/i);
    host.exec('touch', '/run/hu-go-on');
    await host.rebooted(2);
    assert.equal(host.exec('systemctl', 'list-units', '--all', '--plain', '--no-legend', UNIT), '');
  });
});
