import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { EXIT_BUSY, EXIT_MISSING } from '../../src/host/shell.ts';
import { zypperDriver, zypperOutcome, zypperScript } from '../../src/host/zypper.ts';
import { programHost } from './programs.ts';

describe('the script for SLES and openSUSE Leap', () => {
  const host = programHost();
  after(host.remove);
  beforeEach(() => {
    host.reset();
    host.program('rpm', 'echo a 0:1-1.noarch');
  });
  /** A zypper whose `patch` ends with these codes in turn, and stays with the last. */
  const zypper = (...codes: number[]) =>
    host.program(
      'zypper',
      `case "$*" in *needs-rebooting*) exit 0;; esac
echo "$*"
n=$(cat ${host.mount}/tries 2>/dev/null || echo 0)
echo $((n + 1)) >${host.mount}/tries
set -- ${codes.join(' ')}
[ "$n" -lt $# ] || n=$(($# - 1))
shift "$n"
exit "$1"`,
    );
  const runs = () =>
    host
      .read('zypper.out')
      .split('\n')
      .filter((line) => /patch/.test(line)).length;

  test('the patches that ask for a reboot are not left out', () => {
    zypper(0);
    assert.equal(host.run(zypperScript(false)), 0);
    assert.equal(
      host.read('zypper.out'),
      '--non-interactive --non-interactive-include-reboot-patches patch\n',
    );
  });

  test('security patches alone', () => {
    zypper(0);
    host.run(zypperScript(true));
    assert.match(host.read('zypper.out'), / patch --category security$/m);
  });

  test('its own packages patched first: it is run again, until that is all', () => {
    zypper(103, 103, 102);
    assert.equal(host.run(zypperScript(false)), 102);
    assert.equal(runs(), 3);
    assert.deepEqual(host.sleeps(), []);
  });

  test('but not for ever', () => {
    zypper(103);
    assert.equal(host.run(zypperScript(false)), 103);
    assert.equal(runs(), 4);
  });

  test('another zypper at work is waited for, not for ever', () => {
    zypper(7, 7, 0);
    assert.equal(host.run(zypperScript(false)), 0);
    assert.deepEqual(host.sleeps(), ['5', '10']);
    host.reset();
    host.program('rpm', 'echo a 0:1-1.noarch');
    zypper(7);
    assert.equal(host.run(zypperScript(false), { BUSY_LIMIT_S: '5' }), EXIT_BUSY);
  });

  test('without zypper: which package to install', () => {
    assert.equal(host.run(zypperScript(false)), EXIT_MISSING);
    const unit = { result: 'exit-code', exitStatus: EXIT_MISSING };
    const verdict = zypperDriver(false).judge(host.mount, unit, '', 0);
    assert.match(verdict.kind === 'failed' ? verdict.message : '', /install the package zypper$/);
    assert.match(verdict.status.rebootUnknown ?? '', /exit status 127/);
  });
});

describe('zypper’s exit codes', () => {
  for (const code of [0, 100, 101, 102]) {
    test(`${code}: done`, () =>
      assert.deepEqual(zypperOutcome('', code), { isDone: true, notes: [] }));
  }

  const FAILED: Record<number, RegExp> = {
    1: /^undefined$/,
    4: /^undefined$/,
    8: /could not be installed/,
    103: /run again/,
    104: /not found/,
    105: /signal/,
    106: /repositories were skipped/,
    107: /script failed/,
  };
  for (const [code, cause] of Object.entries(FAILED)) {
    test(`${code}: failed`, () => {
      const outcome = zypperOutcome('', Number(code));
      assert.equal(outcome.isDone, false);
      assert.match(`${outcome.cause}`, cause);
    });
  }

  test('with what it printed on the cause', () => {
    const problem = 'Problem: nothing provides x needed by hu-2.0-1.noarch';
    assert.equal(zypperOutcome(`a\n${problem}\n Solution 1: b\n`, 4).cause, problem);
    const pre = 'error: %prein(hu-pre-2.0-1.noarch) scriptlet failed, exit status 7';
    assert.equal(
      zypperOutcome(`a\n${pre}\n`, 8).cause,
      `packages could not be installed or removed: ${pre}`,
    );
    const gone = "Warning: Skipping repository 'gone' because of the above error.\n";
    assert.match(zypperOutcome(gone, 106).cause ?? '', /: Skipping repository 'gone'$/);
  });

  test('a patch that asks a question is held back, and said', () => {
    const output = "Warning: Patch 'HU-licence-1' is interactive, skipping.\nNothing to do.\n";
    assert.deepEqual(zypperOutcome(output, 0).notes, [
      'Held back: HU-licence-1 (it asks a question, such as one about a licence)',
    ]);
  });

  test('killed', () => assert.equal(zypperOutcome('', null).isDone, false));
});
