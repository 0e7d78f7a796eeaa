import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { lastValueFrom, toArray } from 'rxjs';
import type { Commands } from '../../src/host/commands.ts';
import { type HostPort, openHost } from '../../src/host/host.ts';
import { requires } from '../requires.ts';
import { type Host, startHost } from './host.ts';
import { missing } from './image.ts';
import { failure, finished, openOn, optionsFor, runUpgrade } from './program.ts';

describe('commands of the user on a real host', requires('real hosts', missing()), () => {
  let host: Host;
  let port: HostPort | undefined;
  before(async () => {
    host = await startHost();
    // As little of a known distribution as can be.
    host.exec('sh', '-c', 'rm /etc/os-release; echo ID=other >/etc/os-release');
  });
  afterEach(() => port?.close());
  after(async () => {
    await host?.stop();
  });
  const open = async (commands: Commands): Promise<HostPort> => {
    port = await openOn(host, { commands });
    return port;
  };
  const reboot = async (commands: Commands) =>
    lastValueFrom((await open({ rebootSentinel: '/x', ...commands })).reboot().pipe(toArray()));

  test('an upgrade runs on the host, and its output is shown', async () => {
    const upgrade = 'echo "on $(cat /etc/os-release)"; touch /etc/hu-upgraded';
    const run = await runUpgrade(await open({ upgrade, rebootRequired: 'test -e /etc/hu-due' }));
    const status = finished(run);
    assert.match(run.output, /^on ID=other$/m);
    assert.equal(host.exec('ls', '/etc/hu-upgraded').trim(), '/etc/hu-upgraded');
    assert.equal(status.rebootRequired, false);
    assert.equal(status.changed, false);
  });

  test('an upgrade that fails', async () => {
    const message = failure(await runUpgrade(await open({ upgrade: 'echo no; exit 3' })));
    assert.equal(message, 'Failed to run --upgrade-command: exit status 3\nno');
  });

  test('a sentinel alone: the host is only looked at', async () => {
    const only = await open({ rebootSentinel: '/run/hu-due' });
    assert.equal(finished(await runUpgrade(only)).rebootRequired, false);
    host.exec('sh', '-c', 'echo restart >/run/hu-due');
    const status = finished(await runUpgrade(only));
    assert.equal(status.rebootRequired, true);
    assert.equal(status.rebootMessage, '/run/hu-due: restart');
    const stamp = host.exec('stat', '--format=%Y', '/run/hu-due').trim();
    assert.equal(Math.floor((status.sinceMs ?? 0) / 1_000), Number(stamp));
  });

  test('a command to reboot that fails is a refusal, with what it said', async () => {
    const before = host.bootId();
    const [event] = await reboot({ reboot: 'echo "it\'s $((1 + 1)) early" >&2; exit 4' });
    assert.ok(event?.type === 'reboot.refused', JSON.stringify(event));
    assert.match(event.message, /^--reboot-command failed: exit status 4\n/);
    assert.match(event.message, /^it's 2 early$/m);
    assert.equal(host.bootId(), before);
    // And the next one is another start.
    assert.deepEqual(await reboot({ reboot: 'true' }), [{ type: 'reboot.requested' }]);
  });

  test('a command to reboot reboots', async () => {
    const before = (await open({ rebootSentinel: '/x' })).info.bootId;
    assert.deepEqual(await reboot({ reboot: 'systemctl reboot' }), [{ type: 'reboot.requested' }]);
    await host.rebooted(1);
    port = await openHost(optionsFor(host, { commands: { rebootSentinel: '/run/hu-due' } }));
    assert.notEqual(port.info.bootId, before);
    assert.equal(finished(await runUpgrade(port)).rebootRequired, false);
  });
});
