import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readAptLog, summaryLines } from '../../src/host/apt-log.ts';

const RELATED =
  'is kept back because a related package is kept back or due to local apt_preferences(5).';

describe('what an apt log says', () => {
  test('packages that were upgraded and removed, each once', () => {
    const log = readAptLog(`Unpacking libc6:amd64 (2.36-9) over (2.36-8) ...
Setting up libc6:amd64 (2.36-9) ...
Setting up libc6:amd64 (2.36-9) ...
Setting up curl (7.88) ...
Removing gcc-11-base:amd64 (11.3) ...
Processing triggers for libc-bin (2.36-9) ...
`);
    assert.deepEqual(log.upgraded, ['libc6', 'curl']);
    assert.deepEqual(log.removed, ['gcc-11-base']);
  });

  test('phased updates wait for their turn', () => {
    const one = readAptLog('deferred due to phasing: cloud-init\n');
    assert.deepEqual(one.phased, ['cloud-init']);
    const list = readAptLog(`The following upgrades have been deferred due to phasing:
  cloud-init libglib2.0-0
  systemd
The following packages will be upgraded:
  curl
`);
    assert.deepEqual(list.phased, ['cloud-init', 'libglib2.0-0', 'systemd']);
    assert.deepEqual(list.heldBack, []);
    assert.deepEqual(summaryLines(one), ['Deferred due to phasing: cloud-init']);
  });

  test('“a related package” is the one with a reason of its own', () => {
    const { heldBack } = readAptLog(`Package a has conffile prompt and needs to be upgraded manually
Package a is blacklisted.
Package b ${RELATED}
`);
    assert.deepEqual(heldBack, [
      { name: 'a', cause: 'its configuration file was changed: upgrade it by hand' },
      { name: 'b', cause: 'a related package is kept back, see a' },
    ]);
  });

  test('without any such reason that is all there is to say', () => {
    const { heldBack } = readAptLog(`Package b ${RELATED}\n`);
    assert.deepEqual(heldBack, [{ name: 'b', cause: 'a related package is kept back' }]);
  });

  test('other reasons', () => {
    const { heldBack } = readAptLog(`Package a is marked to be held back.
Package b is blacklisted.
Package c's origin is not trusted.
Package d is not on the strict whitelist.
`);
    const causes = heldBack.map(({ name, cause }) => `${name}: ${cause}`);
    assert.deepEqual(causes, [
      'a: it is marked to be held back',
      'b: it is blacklisted',
      'c: its origin is not trusted',
      'd: it is not whitelisted',
    ]);
  });

  test('nothing', () => assert.deepEqual(summaryLines(readAptLog('')), []));
});
