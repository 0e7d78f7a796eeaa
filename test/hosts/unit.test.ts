import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { lastValueFrom, tap, toArray } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import type { HostPort } from '../../src/host/host.ts';
import { poll } from '../cluster/cluster.ts';
import { requires } from '../requires.ts';
import { type Host, startHost } from './host.ts';
import { missing } from './image.ts';
import { offer } from './packages.ts';
import { failure, finished, openOn, runUpgrade, upgraded } from './program.ts';
import { becomes, startForeign, starts, stopForeign, UNIT, upgradeUnit } from './unit.ts';

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
    test(`trap 38: one of somebody else is neither started again nor killed, ${what}`, async () => {
      await startForeign(host);
      const before = await upgradeUnit(host);
      const message = failure(await runUpgrade(port, { resumed }));
      assert.match(message, /already running on the host, started by somebody else$/);
      assert.deepEqual(await upgradeUnit(host), before);
      stopForeign(host);
    });
  }

  test('a service of that name that is up is left alone', async () => {
    host.exec('systemd-run', `--unit=${UNIT}`, 'sleep', '60');
    await becomes(host, 'active');
    const before = await upgradeUnit(host);
    for (const resumed of [false, true]) {
      assert.match(failure(await runUpgrade(port, { resumed })), /started by somebody else$/);
    }
    assert.deepEqual(await upgradeUnit(host), before);
    stopForeign(host);
  });

  for (const [exit, wanted] of [
    [0, /^Upgraded: hu-plain$/m],
    [1, /^Failed to run unattended-upgrades: exit status 1\n/],
  ] as const) {
    test(`one of the original program that ends with ${exit} is adopted after a restart`, async () => {
      const before = starts(host);
      const log = 'Setting up hu-plain (2.0) ...';
      const out = join(host.mount, 'unattended-upgrade.out');
      const waits = 'until [ -e /run/hu-go-on ]; do sleep 0.05; done';
      const script = `echo '${log}' >${out}; ${waits}; exit ${exit}`;
      host.exec('rm', '-f', '/run/hu-go-on');
      await startForeign(host, script, `--setenv=HOST_PATH=${host.mount}`);
      const events: RunEvent[] = [];
      const running = lastValueFrom(
        port.upgrade('adopts', true).pipe(
          tap((event) => events.push(event)),
          toArray(),
        ),
      );
      await poll(async () => events.some(({ type }) => type === 'upgrade.output'), 20_000);
      host.exec('touch', '/run/hu-go-on');
      const { last } = upgraded(await running);
      assert.match(
        last.type === 'upgrade.failed' ? last.message : (last.status.output ?? ''),
        wanted,
      );
      assert.equal(starts(host), before + 1);
    });
  }

  test('trap 38: a failed one that somebody left is cleared', async () => {
    const service = ['--service-type=oneshot', `--unit=${UNIT}`];
    assert.throws(() => host.exec('systemd-run', ...service, 'false'));
    assert.equal((await upgradeUnit(host))?.activeState, 'failed');
    finished(await runUpgrade(port));
  });

  test('trap 38: a unit file of that name on the host is named as what is in the way', async () => {
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
      host.hold('update');
      const running = runUpgrade(port);
      await becomes(host, 'activating');
      host.exec('systemctl', ...command, UNIT);
      host.letGo('update');
      assert.match(failure(await running), new RegExp(`^Failed to run .*: killed by ${signal}`));
    });
  }

  test('a host mount that becomes another directory on the host: its journal tells', async () => {
    host.exec('mount', '-t', 'tmpfs', 'tmpfs', host.mount);
    const lines = failure(await runUpgrade(port)).split('\n');
    host.exec('umount', host.mount);
    assert.match(
      lines[0] ?? '',
      /^Failed to run host-upgrades\.sh: exit status \d+: is --host-mount the same directory on the host\?$/,
    );
    assert.match(lines.join('\n'), /^\/bin\/sh: .*-mount\/host-upgrades\.sh/m);
    // Of this start of the unit, and of none before.
    assert.doesNotMatch(lines.join('\n'), /apt-get/);
  });

  test('the host’s bus is restarted in the middle: the same unit is watched on', async () => {
    offer(host.root, 'hu-later');
    host.hold('update');
    const running = runUpgrade(port);
    await becomes(host, 'activating');
    const before = starts(host);
    host.exec('systemctl', 'restart', 'dbus');
    host.letGo('update');
    finished(await running);
    assert.equal(host.version('hu-later'), '2.0');
    assert.equal(starts(host), before);
    // And the next run has a bus again.
    finished(await runUpgrade(port));
  });

  test('systemd starts anew in the middle, as its own upgrade does: the same unit is watched on', async () => {
    host.hold('update');
    const running = runUpgrade(port);
    await becomes(host, 'activating');
    const before = starts(host);
    host.exec('systemctl', 'daemon-reexec');
    host.letGo('update');
    finished(await running);
    assert.equal(starts(host), before);
  });

  test('one of a run that nobody follows any more is adopted by the next run', async () => {
    host.hold('update');
    const left = port.upgrade('left-behind', false).subscribe();
    await becomes(host, 'activating');
    left.unsubscribe();
    const before = starts(host);
    const running = runUpgrade(port);
    host.letGo('update');
    finished(await running);
    assert.equal(starts(host), before);
  });
});
