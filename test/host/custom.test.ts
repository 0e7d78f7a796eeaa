import assert from 'node:assert/strict';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import type { Commands } from '../../src/host/commands.ts';
import { customDriver, customScript } from '../../src/host/custom.ts';
import { programHost } from './programs.ts';

describe('commands of the user', () => {
  const host = programHost();
  after(host.remove);
  beforeEach(() => host.reset());

  const run = (commands: Commands, env: Record<string, string> = {}) => {
    const driver = customDriver(commands);
    driver.prepare(host.mount, null);
    const exitStatus = host.run(customScript(commands), env) ?? -1;
    const result = exitStatus === 0 ? 'success' : 'exit-code';
    return driver.judge(host.mount, { result, exitStatus }, '', 0);
  };

  test('an upgrade, with quotes and more lines than one', () => {
    const { kind, status } = run({ upgrade: `x='a  b'\necho "it's $x"`, rebootRequired: 'exit 1' });
    assert.equal(kind, 'finished');
    assert.match(status.output ?? '', /^it's a {2}b$/m);
    assert.equal(status.rebootRequired, false);
    assert.equal(status.rebootUnknown, undefined);
    // Without rpm and dpkg nobody knows.
    assert.equal('changed' in status, false);
  });

  test('an upgrade that fails, with its output; whatever its exit code', () => {
    for (const code of [3, 69, 75, 127]) {
      host.reset();
      const verdict = run({ upgrade: `echo no space; exit ${code}` });
      assert.ok(verdict.kind === 'failed');
      assert.equal(
        verdict.message,
        `Failed to run --upgrade-command: exit status ${code}\nno space`,
      );
    }
  });

  test('what changed, by the packages', () => {
    host.program(
      'dpkg-query',
      `[ -e ${host.mount}/done ] && v=2 || v=1; echo "hu $v ii"; echo "b 1 ii"`,
    );
    const { status } = run({ upgrade: `touch ${host.mount}/done` });
    assert.equal(status.changed, true);
    assert.match(status.output ?? '', /^Upgraded: hu$/m);
  });

  test('an upgrade alone: nobody can say whether a reboot is due', () => {
    const { status } = run({ upgrade: 'true' });
    assert.equal(status.rebootRequired, false);
    assert.match(
      status.rebootUnknown ?? '',
      /neither --reboot-required-command nor --reboot-sentinel/,
    );
  });

  test('a check alone: 0 is a yes, 1 a no, and nothing is upgraded', () => {
    const { kind, status } = run({ rebootRequired: 'echo kernel 6.2' });
    assert.equal(kind, 'finished');
    assert.equal(status.rebootRequired, true);
    assert.equal(status.rebootMessage, 'kernel 6.2');
    // Somebody else upgrades, and the command does not say since when a reboot is due.
    assert.equal('changed' in status, false);
    assert.equal(run({ rebootRequired: 'exit 1' }).status.rebootRequired, false);
  });

  test('trap 8: a check that is not there, fails or is killed is never a yes', () => {
    for (const rebootRequired of ['no-such-program', 'exit 2', 'kill -9 $$']) {
      const { kind, status } = run({ rebootRequired });
      assert.equal(kind, 'finished');
      assert.equal(status.rebootRequired, false);
      assert.match(status.rebootUnknown ?? '', /^--reboot-required-command: /);
    }
  });

  test('a sentinel alone, since when it is there; also an empty one, or a folder', () => {
    const rebootSentinel = join(host.mount, "it's due");
    assert.equal(run({ rebootSentinel }).status.rebootRequired, false);
    writeFileSync(rebootSentinel, '');
    utimesSync(rebootSentinel, 5, 5);
    const { status } = run({ rebootSentinel });
    assert.equal(status.rebootRequired, true);
    assert.equal(status.rebootMessage, `${rebootSentinel} is there`);
    assert.equal(status.sinceMs, 5_000);
    assert.equal(status.changed, false);
    assert.equal(run({ rebootSentinel: host.mount }).status.rebootRequired, true);
  });

  test('without the command to upgrade it only looks, as one that is told to', () => {
    const { status } = run(
      { upgrade: 'echo upgraded', rebootRequired: 'true' },
      { CHECK_ONLY: 'y' },
    );
    assert.equal(host.has('upgrade-command.out'), false);
    assert.equal(status.rebootRequired, true);
  });
});
