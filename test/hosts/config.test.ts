import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type HostPort, openHost } from '../../src/host/host.ts';
import { requires } from '../requires.ts';
import { type Host, startHost } from './host.ts';
import { missing } from './image.ts';
import { offer } from './packages.ts';
import { CONFIG, finished, optionsFor, runUpgrade, writeConfig } from './program.ts';

describe('the configuration of upgrades on a real host', requires('real hosts', missing()), () => {
  let host: Host;
  let port: HostPort;
  before(async () => {
    host = await startHost();
    writeConfig(host, null);
    port = await openHost(optionsFor(host));
    offer(host.root, 'hu-plain', 'hu-later');
    const blacklist = 'Unattended-Upgrade::Package-Blacklist { "hu-plain"; };';
    host.exec('sh', '-c', `echo '${blacklist}' >/etc/apt/apt.conf.d/99hu`);
  });
  after(async () => {
    port?.close();
    await host?.stop();
  });

  test('without one the host’s own holds: nothing of a foreign origin', async () => {
    finished(await runUpgrade(port));
    assert.equal(host.version('hu-later'), '1.0');
  });

  test('given between two runs it holds for the next, without a restart', async () => {
    writeConfig(host, CONFIG.replace('#clear Unattended-Upgrade::Package-Blacklist;\n', ''));
    const { output } = finished(await runUpgrade(port));
    assert.equal(host.version('hu-later'), '2.0');
    // The host's own files are still read.
    assert.match(output ?? '', /^Held back: hu-plain \(it is blacklisted\)$/m);
    assert.equal(host.version('hu-plain'), '1.0');
  });

  test('it is read last: #clear works on what the host’s own files say', async () => {
    writeConfig(host, CONFIG);
    finished(await runUpgrade(port));
    assert.equal(host.version('hu-plain'), '2.0');
  });

  test('taken away it is gone for the next run', async () => {
    writeConfig(host, null);
    const run = await runUpgrade(port);
    finished(run);
    assert.doesNotMatch(run.output, /HostUpgradesTest/);
  });
});
