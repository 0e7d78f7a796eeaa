import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connectBus } from '../../src/host/bus.ts';
import { HostError } from '../../src/host/errors.ts';
import { type HostOptions, openHost } from '../../src/host/host.ts';
import { requires } from '../requires.ts';
import { type Host, startHost } from './host.ts';
import { missing } from './image.ts';
import { CONFIG, optionsFor, writeConfig } from './program.ts';

describe('a real host that cannot be used says why', requires('real hosts', missing()), () => {
  let host: Host;
  before(async () => {
    host = await startHost();
    writeConfig(host, CONFIG);
  });
  after(async () => {
    await host?.stop();
  });

  const refuses = (more: Partial<HostOptions>, message: RegExp) =>
    assert.rejects(openHost(optionsFor(host, more)), (error: Error) => {
      assert.ok(error instanceof HostError);
      assert.doesNotMatch(error.message, /\n/);
      assert.match(error.message, message);
      return true;
    });

  test('a configuration that is no directory', async () => {
    const path = join(host.root, 'etc/hostname');
    await refuses({ configPath: path }, /^--config-path=\S+hostname: cannot be read \(ENOTDIR\); /);
  });

  test('a host mount that is no directory', async () => {
    const path = join(host.root, 'etc/hostname');
    await refuses({ mount: path }, /^--host-mount=\S+hostname: cannot be written \(EEXIST\); /);
  });

  test('a read-only host mount', async () => {
    const path = '/proc/sys';
    await refuses({ mount: path }, /^--host-mount=\/proc\/sys: cannot be written \(\w+\); mount /);
  });

  test('a host mount that is another directory on the host', async () => {
    const mount = join(host.root, '../not-shared');
    await refuses(
      { mount },
      /^--host-mount=\S+not-shared: what the host writes there is not seen here \(.*exit status \d+\); mount /,
    );
    host.exec('mkdir', '-p', mount);
    await refuses({ mount }, /not seen here; mount the host's directory of that very path$/);
  });

  test('a host whose systemd starts nothing says so', async () => {
    host.exec('systemctl', 'mask', '--runtime', 'host-upgrades-probe.service');
    await refuses({}, /^the host's systemd starts no unit: /);
    host.exec('systemctl', 'unmask', '--runtime', 'host-upgrades-probe.service');
  });

  test('a host without hostname1', async () => {
    host.exec('systemctl', 'mask', '--runtime', '--now', 'systemd-hostnamed.service');
    await refuses({}, /^the host's hostname1 does not answer: .*masked/);
    host.exec('systemctl', 'unmask', '--runtime', 'systemd-hostnamed.service');
  });

  test('a distribution that nobody here knows', async () => {
    const text = 'NAME="Other Linux"\nPRETTY_NAME="Other Linux 7"\nID=other\n';
    host.exec('rm', '/etc/os-release');
    writeFileSync(join(host.root, 'etc/os-release'), text);
    host.exec('systemctl', 'restart', 'systemd-hostnamed');
    await refuses(
      {},
      /^cannot upgrade a host of ID=other: supported are Debian, .*--upgrade-command$/,
    );
    // But with commands of its own it is used as it is.
    const port = await openHost(optionsFor(host, { commands: { rebootSentinel: '/run/x' } }));
    assert.equal(port.info.operatingSystem, 'Other Linux 7');
    port.close();
  });

  test('DBUS_SYSTEM_BUS_ADDRESS is where the bus is looked for', async () => {
    const { busAddress: _, ...options } = optionsFor(host);
    process.env.DBUS_SYSTEM_BUS_ADDRESS = 'unix:path=/nowhere/by-variable';
    await assert.rejects(openHost(options), /^NoBus: no system bus at .*\/nowhere\/by-variable: /);
    delete process.env.DBUS_SYSTEM_BUS_ADDRESS;
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
