import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { lastValueFrom, toArray } from 'rxjs';
import { type HostPort, openHost } from '../../src/host/host.ts';
import { requires } from '../requires.ts';
import { type Host, startHost } from './host.ts';
import { missing } from './image.ts';
import { offer } from './packages.ts';
import { finished, openOn, optionsFor, upgraded } from './program.ts';

describe('a reboot of a real host, and its proof', requires('real hosts', missing()), () => {
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

  const boot = async () => {
    const { info, close } = await openHost(optionsFor(host));
    close();
    return info;
  };
  const check = async () =>
    upgraded(await lastValueFrom(port.rebootRequired('check').pipe(toArray())));

  test('within a boot the id stays, also when systemd is executed anew', async () => {
    const { bootId } = port.info;
    for (const restart of ['daemon-reload', 'daemon-reexec']) {
      host.exec('systemctl', restart);
      assert.equal((await boot()).bootId, bootId);
    }
  });

  test('whether a reboot is required is told without an upgrade', async () => {
    offer(host.root, 'hu-plain');
    assert.equal(finished(await check()).rebootRequired, false);
    host.exec('sh', '-c', 'echo restart >/run/reboot-required');
    const { last, output } = await check();
    assert.ok(last.type === 'upgrade.finished');
    assert.equal(last.status.rebootRequired, true);
    assert.equal(last.status.rebootMessage, 'restart');
    assert.equal(last.status.changed, false);
    assert.equal(output, '');
    assert.equal(host.version('hu-plain'), '1.0');
  });

  test('asked for it reboots: another id, a later time', async () => {
    const before = await boot();
    assert.deepEqual(await lastValueFrom(port.reboot().pipe(toArray())), [
      { type: 'reboot.requested' },
    ]);
    await host.rebooted(1);
    port = await openHost(optionsFor(host));
    const after = await boot();
    assert.notEqual(after.bootId, before.bootId);
    assert.equal(after.bootId, port.info.bootId);
    assert.ok(after.bootMs > before.bootMs);
    assert.equal(finished(await check()).rebootRequired, false);
  });

  test('trap 24: a logind that is not there is a refusal, and the host stays up', async () => {
    const { bootId } = await boot();
    host.exec('systemctl', 'mask', '--runtime', '--now', 'systemd-logind.service');
    const [event] = await lastValueFrom(port.reboot().pipe(toArray()));
    host.exec('systemctl', 'unmask', '--runtime', 'systemd-logind.service');
    assert.ok(event?.type === 'reboot.refused', JSON.stringify(event));
    assert.match(event.message, /login1/);
    // Not with the bus started anew either.
    host.exec('systemctl', 'restart', 'dbus');
    assert.equal((await boot()).bootId, bootId);
  });
});
