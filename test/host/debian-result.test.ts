import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Outputs } from '../../src/host/debian-outputs.ts';
import { judge } from '../../src/host/debian-result.ts';
import { TAIL_CHARS } from '../../src/host/printed.ts';
import { noStatus } from '../../src/host/status.ts';
import type { UnitEnd } from '../../src/host/verdict.ts';
import { outputs } from './debian-outputs.ts';

const OK: UnitEnd = { result: 'success', exitStatus: 0 };
const exit = (exitStatus: number): UnitEnd => ({ result: 'exit-code', exitStatus });
const BOOT_MS = 1_700_000_000_000;

const finished = (unit: UnitEnd, more: Partial<Outputs>) => {
  const verdict = judge(unit, outputs(more), BOOT_MS);
  if (verdict.kind !== 'finished') throw new Error(verdict.message);
  return verdict.status;
};
const failed = (unit: UnitEnd, more: Partial<Outputs>) => {
  const verdict = judge(unit, outputs(more), BOOT_MS);
  if (verdict.kind !== 'failed') throw new Error(`finished: ${verdict.status.output}`);
  return verdict;
};

const CONFFILE = 'Package hu has conffile prompt and needs to be upgraded manually\n';
const HELD = 'Held back: hu (its configuration file was changed: upgrade it by hand)';

describe('a package held back by a conffile question', () => {
  const beside = `${CONFFILE}package hu not upgraded
Packages that will be upgraded: one two
Setting up one (2) ...
Setting up two (2) ...
All upgrades installed
Package hu is blacklisted.
`;
  const alone = `${CONFFILE}No packages found that can be upgraded unattended and no pending auto-removals
Package hu is blacklisted.
`;

  test('is the same verdict with exit status 1 and 0', () => {
    const notes = (unit: UnitEnd, upgrade: string) =>
      finished(unit, { upgrade }).output?.split('\n').slice(-2);
    assert.deepEqual(notes(exit(1), beside), ['Upgraded: one, two', HELD]);
    assert.deepEqual(notes(OK, alone)?.at(-1), HELD);
  });

  test('leaves the question of the reboot to the others', () => {
    const reboot = { text: 'restart\n', sinceNs: 1n };
    assert.equal(finished(exit(1), { upgrade: beside, reboot }).rebootRequired, true);
  });

  test('hides no other failure', () => {
    for (const error of [
      'E: Could not open file\n',
      'Installing the upgrades failed!\n',
      'Auto-removing the packages failed!\n',
      'Cache has broken packages, exiting\n',
      'Traceback (most recent call last):\n',
      'cp: write error: No space left on device\n',
    ]) {
      failed(exit(1), { upgrade: `${beside}${error}` });
    }
    failed(exit(2), { upgrade: 'some text about a conffile prompt\n' });
  });
});

describe('dpkg failed half way through', () => {
  const upgrade = `Setting up linux-image-6.1.0-19-amd64 (6.1.82-1) ...
cat: write error: No space left on device
update-initramfs: failed for /boot/initrd.img-6.1.0-19-amd64 with 1.
dpkg: error processing package linux-image-6.1.0-19-amd64 (--configure):
 installed linux-image-6.1.0-19-amd64 package post-installation script subprocess returned error exit status 1
E:Sub-process /usr/bin/dpkg returned an error code (1)
Installing the upgrades failed!
`;
  const reboot = { text: '*** System restart required ***\n', sinceNs: 1_000_000n };

  for (const unit of [exit(1), exit(100), OK]) {
    test(`is a failed run with its cause, whatever the exit: ${JSON.stringify(unit)}`, () => {
      const { message, status } = failed(unit, { upgrade, reboot });
      const [first] = message.split('\n');
      assert.match(first ?? '', /^Failed to run unattended-upgrades: /);
      assert.match(first ?? '', /No space left on device; dpkg: error processing package linux-/);
      assert.match(first ?? '', /exit status 1$/);
      // For people; a failed run does not reboot.
      assert.equal(status.rebootRequired, true);
      assert.equal(status.sinceMs, 1);
    });
  }

  test('is also seen in what only dpkg’s own log has', () => {
    const dpkg = upgrade;
    const { message } = failed(exit(1), { upgrade: 'Installing the upgrades failed!\n', dpkg });
    assert.match(message, /: exit status 1: .*No space left/);
  });

  test('an earlier one is still there in the next run', () => {
    const { message } = failed(OK, { broken: 'linux-image-6.1.0-19-amd64\n' });
    assert.match(
      message,
      /: half installed: linux-image-6\.1\.0-19-amd64; run dpkg --configure -a/,
    );
  });
});

describe('whether a reboot is required', () => {
  test('an old stamp without a list of packages', () => {
    const status = finished(OK, { reboot: { text: 'restart\n', sinceNs: 5_000_000n } });
    assert.equal(status.rebootRequired, true);
    assert.equal(status.rebootMessage, 'restart');
    assert.equal(status.sinceMs, 5);
    // Whoever asks may see that this run is not the cause.
    assert.equal(status.changed, false);
  });

  test('each package that asks for it once', () => {
    const reboot = { text: 'restart\n', sinceNs: 1n };
    const rebootPackages = 'linux-base\nlinux-base\n\nlibc6\n';
    assert.equal(
      finished(OK, { reboot, rebootPackages }).rebootMessage,
      'restart (linux-base, libc6)',
    );
  });

  test('a newer kernel without a stamp is said, and decides nothing', () => {
    const kernels = '6.1.0-18-amd64\n6.1.0-19-amd64\n';
    const status = finished(OK, { kernels });
    assert.equal(status.rebootRequired, false);
    assert.match(
      status.output ?? '',
      /^Kernel 6\.1\.0-19-amd64 is installed and 6\.1\.0-18-amd64 /m,
    );
  });

  test('a heading about kernels is no kernel', () => {
    const upgrade = `Removing unused kernel packages: extra-cmake-modules
marking extra-cmake-modules for removal
Removing extra-cmake-modules (5.44.0-0ubuntu1) ...
`;
    const status = finished(OK, { upgrade });
    assert.equal(status.rebootRequired, false);
    assert.match(status.output ?? '', /^Removed: extra-cmake-modules$/m);
    assert.doesNotMatch(status.output ?? '', /^Upgraded|^Kernel/m);
    assert.equal(status.changed, true);
  });

  test('a host without /boot, such as a container, has no newer kernel', () => {
    assert.doesNotMatch(finished(OK, { kernels: '6.1.0-18-amd64\n' }).output ?? '', /Kernel/);
  });
});

describe('the unit’s end', () => {
  const message = (unit: UnitEnd, more: Partial<Outputs> = {}) =>
    failed(unit, { upgrade: '', update: '', ...more }).message;

  test('in words', () => {
    const update = 'Hit:1 file:/repository\n';
    assert.equal(
      message(exit(3), { update, exitStatus: '3\n' }),
      'Failed to run apt-get update: exit status 3\nHit:1 file:/repository',
    );
    const signal = { result: 'signal', exitStatus: 9 };
    assert.equal(message(signal), 'Failed to run host-upgrades.sh: killed by SIGKILL');
    const oom = { result: 'oom-kill', exitStatus: 9 };
    assert.equal(
      message(oom, { upgrade: 'x\n' }),
      'Failed to run unattended-upgrades: oom-kill\nx',
    );
    assert.match(message(exit(69)), /install the package unattended-upgrades$/);
    assert.match(message(exit(75)), /^package manager busy: /);
  });

  test('of a script that the host did not find', () => {
    assert.equal(
      message(exit(2)),
      'Failed to run host-upgrades.sh: exit status 2: is --host-mount the same directory on the host?',
    );
  });

  test('with the unit’s journal where nothing else was written', () => {
    assert.match(message(exit(1), { journal: 'sh: 1: cannot open\n' }), /\nsh: 1: cannot open$/);
  });

  test('of a unit that somebody cleared is what the script noted', () => {
    assert.match(message(null), /its unit was removed from the host and left no result$/);
    assert.match(message(null, { exitStatus: '100\n' }), /exit status 100$/);
    assert.equal(finished(null, { exitStatus: '0\n' }).rebootRequired, false);
  });
});

test('waits for another package manager are no part of the result', () => {
  const upgrade = `E: Could not get lock /var/lib/dpkg/lock-frontend
host-upgrades: another package manager is at work, trying again in 5 s
${CONFFILE}`;
  const status = finished(exit(1), { upgrade });
  assert.doesNotMatch(`${status.output}${status.detail}`, /lock|at work/);
});

describe('the status in the words of the condition line', () => {
  test('nothing to tell', () => {
    assert.equal(finished(OK, { upgrade: '' }).detail, '0001-01-01 00:00:00 +0000 UTC  ');
    assert.equal(noStatus(BOOT_MS).detail, '0001-01-01 00:00:00 +0000 UTC  ');
  });

  test('since, message and output as they are', () => {
    const reboot = {
      text: '*** System restart required ***\n',
      sinceNs: BigInt(Date.UTC(2026, 11, 1, 4, 31, 8)) * 1_000_000n + 965_911_131n,
    };
    const upgrade = 'Packages that will be upgraded: linux-image\n';
    assert.equal(
      finished(OK, { reboot, upgrade, rebootPackages: 'linux-image\n' }).detail,
      '2026-12-01 04:31:08.965911131 +0000 UTC *** System restart required ***\n Packages that will be upgraded: linux-image\n',
    );
  });

  test('fractions without their last zeros, and none for whole seconds', () => {
    const since = (sinceNs: bigint) => finished(OK, { reboot: { text: '', sinceNs } }).detail;
    assert.match(since(1_500_000_000n), /^1970-01-01 00:00:01\.5 \+0000 UTC /);
    assert.match(since(2_000_000_000n), /^1970-01-01 00:00:02 \+0000 UTC /);
  });

  test('a long output is cut to its last whole lines', () => {
    const upgrade = Array.from({ length: 10_000 }, (_, index) => `line ${index}\n`).join('');
    const { detail, output = '' } = finished(OK, { upgrade });
    assert.ok(detail.length < TAIL_CHARS + 100);
    assert.match(detail, /UTC {2}line \d+\n/);
    assert.match(output, /line 9999$/);
  });
});
