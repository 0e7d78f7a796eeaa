import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { HostPort } from '../../src/host/host.ts';
import { requires } from '../requires.ts';
import { type Host, startHost } from './host.ts';
import { missing } from './image.ts';
import { offer } from './packages.ts';
import { failure, finished, openOn, runUpgrade } from './program.ts';
import { becomes, startForeign, starts, UNIT, upgradeUnit } from './unit.ts';

describe('the unit of an upgrade on a real host', requires('real hosts', missing()), () => {
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

  for (const resumed of [false, true]) {
    const what = resumed ? 'also after a restart' : 'in a new run';
    test(`one of somebody else is neither started again nor killed, ${what}`, async () => {
      await startForeign(host);
      const before = await upgradeUnit(host);
      const message = failure(await runUpgrade(port, { resumed }));
      assert.match(message, /already running on the host, started by somebody else$/);
      assert.deepEqual(await upgradeUnit(host), before);
      host.exec('systemctl', 'stop', UNIT);
    });
  }

  test('one of the original program is adopted after a restart', async () => {
    await startForeign(host, '--setenv=HOST_PATH=/run/host-upgrades');
    const before = starts(host);
    const running = runUpgrade(port, { resumed: true });
    host.exec('systemctl', 'kill', '--signal=KILL', UNIT);
    assert.match(failure(await running), /killed by SIGKILL/);
    assert.equal(starts(host), before);
  });

  test('a failed one that somebody left is cleared', async () => {
    const service = ['--service-type=oneshot', `--unit=${UNIT}`];
    assert.throws(() => host.exec('systemd-run', ...service, 'false'));
    assert.equal((await upgradeUnit(host))?.activeState, 'failed');
    finished(await runUpgrade(port));
  });

  test('a unit file of that name on the host is named as what is in the way', async () => {
    const text = '[Service]\\nType=oneshot\\nExecStart=/bin/true\\n';
    const file = `/etc/systemd/system/${UNIT}`;
    host.exec('sh', '-c', `printf '${text}' >${file}; systemctl daemon-reload`);
    const message = failure(await runUpgrade(port));
    host.exec('sh', '-c', `rm ${file}; systemctl daemon-reload`);
    assert.match(message, /the host has a host-upgrades\.service of its own: see systemctl cat/);
  });

  const ends = { SIGTERM: ['stop'], SIGKILL: ['kill', '--signal=KILL'] };
  for (const [signal, command] of Object.entries(ends)) {
    test(`systemctl ${command[0]} on the host: failed, with the signal`, async () => {
      offer(host.root, 'hu-slow');
      const running = runUpgrade(port);
      await becomes(host, 'activating');
      host.exec('systemctl', ...command, UNIT);
      assert.match(failure(await running), new RegExp(`^Failed to run .*: killed by ${signal}`));
    });
  }

  test('the host’s bus is restarted in the middle: the same unit is watched on', async () => {
    offer(host.root, 'hu-later');
    const running = runUpgrade(port);
    await becomes(host, 'activating');
    const before = starts(host);
    host.exec('systemctl', 'restart', 'dbus');
    finished(await running);
    assert.equal(host.version('hu-later'), '2.0');
    assert.equal(starts(host), before);
    // And the next run has a bus again.
    finished(await runUpgrade(port));
  });
});
