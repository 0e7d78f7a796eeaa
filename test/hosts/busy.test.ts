import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { poll } from '../cluster/cluster.ts';
import { requires } from '../requires.ts';
import { type Host, startHost } from './host.ts';
import { missing } from './image.ts';
import { offer } from './packages.ts';
import { failure, finished, openOn, runUpgrade } from './program.ts';
import { shows } from './unit.ts';

describe('another package manager at work', requires('real hosts', missing()), () => {
  let host: Host;
  before(async () => {
    host = await startHost();
  });
  after(async () => {
    await host?.stop();
  });

  /** Takes a lock as apt does, until the file /run/hu-holds is gone. */
  const hold = async (lock: string) => {
    const program = `import fcntl, os, time
file = open('${lock}', 'w')
fcntl.lockf(file, fcntl.LOCK_EX)
open('/run/hu-holds', 'w')
while os.path.exists('/run/hu-holds'): time.sleep(0.02)`;
    host.exec('systemd-run', '--collect', 'python3', '-c', program);
    await poll(async () => host.exec('ls', '/run').includes('hu-holds'), 20_000);
  };
  const letGo = () => host.exec('rm', '/run/hu-holds');
  const WAITS = 'another package manager is at work, trying again in 1 s';

  test('the lock of the lists is waited for', async () => {
    const port = await openOn(host, { busyPauseS: 1 });
    await hold('/var/lib/apt/lists/lock');
    const running = runUpgrade(port);
    await shows(host, 'apt-get-update.out', WAITS);
    letGo();
    const run = await running;
    assert.doesNotMatch(finished(run).output ?? '', /lock/);
    // Who waits at night is told so.
    assert.match(run.output, new RegExp(WAITS));
  });

  for (const lock of ['/var/lib/dpkg/lock', '/run/unattended-upgrades.lock']) {
    test(`${lock} is waited for`, async () => {
      const name = lock.startsWith('/run') ? 'hu-later' : 'hu-plain';
      offer(host.root, name);
      const port = await openOn(host, { busyPauseS: 1 });
      await hold(lock);
      const running = runUpgrade(port);
      await shows(host, 'unattended-upgrade.out', WAITS);
      letGo();
      const { output = '' } = finished(await running);
      assert.match(output, new RegExp(`^Upgraded: ${name}$`, 'm'));
      assert.doesNotMatch(output, /lock/i);
      assert.equal(host.version(name), '2.0');
    });
  }

  test('one that never lets go is busy, not broken', async () => {
    const port = await openOn(host, { busyPauseS: 1, busyLimitS: 1 });
    await hold('/var/lib/apt/lists/lock');
    assert.match(failure(await runUpgrade(port)), /^package manager busy: /);
    letGo();
  });
});
