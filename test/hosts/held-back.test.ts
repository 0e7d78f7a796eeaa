import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { HostPort } from '../../src/host/host.ts';
import { requires } from '../requires.ts';
import { type Host, startHost } from './host.ts';
import { missing } from './image.ts';
import { offer } from './packages.ts';
import { finished, openOn, runUpgrade } from './program.ts';

const HELD = /^Held back: hu-conffile \(its configuration file was changed: upgrade it by hand\)$/m;

describe('a package held back by its configuration file', requires('real hosts', missing()), () => {
  let host: Host;
  let port: HostPort;
  before(async () => {
    host = await startHost();
    port = await openOn(host);
    host.exec('sh', '-c', 'echo mine >>/etc/hu-conffile.conf');
    offer(host.root, 'hu-conffile', 'hu-reboot');
  });
  after(async () => {
    port?.close();
    await host?.stop();
  });

  test('beside another that is upgraded: finished, and the reboot is still asked for', async () => {
    const status = finished(await runUpgrade(port));
    assert.match(status.output ?? '', HELD);
    assert.match(status.output ?? '', /^Upgraded: hu-reboot$/m);
    assert.equal(status.rebootRequired, true);
    assert.equal(host.version('hu-conffile'), '1.0');
  });

  test('left alone in the next run: the same verdict', async () => {
    const status = finished(await runUpgrade(port));
    assert.match(status.output ?? '', HELD);
    assert.doesNotMatch(status.output ?? '', /^Upgraded:/m);
  });
});
