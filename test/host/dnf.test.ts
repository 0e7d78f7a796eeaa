import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { dnfDriver, dnfOutcome, dnfScript } from '../../src/host/dnf.ts';
import { EXIT_BUSY, EXIT_MISSING } from '../../src/host/shell.ts';
import { programHost } from './programs.ts';

const OK = { result: 'success', exitStatus: 0 };
const EFFECTIVE = 'dnf-automatic.effective.conf';

describe('the script for hosts with dnf', () => {
  const host = programHost();
  after(host.remove);
  /** A dnf that says how it was called; `upgrade` is what it does then. */
  const dnf = (version: string, upgrade = 'echo upgraded') =>
    host.program(
      'dnf',
      `case "$*" in
--version) echo '${version}' ;;
*needs-restarting*) echo "$*"; exit 0 ;;
*makecache*) echo "$*" ;;
*upgrade*) echo "$*"; ${upgrade} ;;
esac`,
    );
  beforeEach(() => {
    host.reset();
    dnf('4.14.0');
    host.program('rpm', 'echo a 0:1-1.noarch');
  });

  test('reads the lists anew and upgrades; dnf 4 does not wait by itself', () => {
    assert.equal(host.run(dnfScript(false)), 0);
    const lock = '--setopt=exit_on_lock=1';
    assert.equal(host.read('dnf-makecache.out'), `-y ${lock} --refresh makecache\n`);
    assert.equal(host.read('dnf.out'), `-y ${lock} upgrade\nupgraded\n`);
    assert.equal(host.read('exit-status'), '0\n');
  });

  test('trap 10: dnf 5 is called as it knows, and always asked with -r', () => {
    dnf('dnf5 version 5.2.6.2');
    assert.equal(host.run(dnfScript(false)), 0);
    assert.equal(host.read('dnf.out'), '-y upgrade\nupgraded\n');
    assert.equal(host.read('reboot-check.out'), 'needs-restarting -r\n');
    assert.equal(host.read('reboot-check.status'), '0\n');
  });

  test('security updates alone', () => {
    host.run(dnfScript(true));
    assert.match(host.read('dnf.out'), /^-y \S+ upgrade --security$/m);
  });

  test('lists that cannot be read end it', () => {
    host.program('dnf', '[ "$1" = --version ] || { echo no network; exit 1; }');
    assert.equal(host.run(dnfScript(false)), 1);
    assert.equal(host.has('dnf.out'), false);
  });

  for (const [what, busy] of [
    ['dnf 4', 'echo "RPMDB already locked by 17"; exit 200'],
    ['dnf-automatic', 'echo "Error: RPMDB already locked by 17"; exit 1'],
    ['dnf 5', 'echo "Failed to obtain rpm transaction lock. Another"; exit 1'],
  ] as const) {
    test(`another at work is waited for, not for ever: ${what}`, () => {
      dnf('4.14.0', busy);
      assert.equal(host.run(dnfScript(false), { BUSY_LIMIT_S: '30' }), EXIT_BUSY);
      assert.deepEqual(host.sleeps(), ['5', '10', '20']);
    });
  }

  test('without dnf: which package to install; the check is unknown', () => {
    host.program('dnf', '');
    host.reset();
    host.program('rpm', 'echo a 0:1-1.noarch');
    assert.equal(host.run(dnfScript(false)), EXIT_MISSING);
    const unit = { result: 'exit-code', exitStatus: EXIT_MISSING };
    const verdict = dnfDriver(false).judge(host.mount, unit, '', 0);
    assert.ok(verdict.kind === 'failed');
    assert.equal(verdict.message, 'dnf is not on the host: install the package dnf');
    assert.equal(verdict.status.rebootRequired, false);
    assert.match(verdict.status.rebootUnknown ?? '', /^dnf needs-restarting -r: exit status 127/);
  });

  test('only asked whether a reboot is due it upgrades nothing', () => {
    assert.equal(host.run(dnfScript(false), { CHECK_ONLY: 'yes' }), 0);
    assert.equal(host.has('dnf.out'), false);
    assert.equal(host.read('reboot-check.status'), '0\n');
    assert.equal(dnfDriver(false).judge(host.mount, OK, '', 0).status.changed, false);
  });

  test('trap 11: what others have installed since the first look in this boot is a change', () => {
    host.run(dnfScript(false));
    host.program('rpm', 'echo a 0:2-1.noarch');
    for (let look = 0; look < 2; look += 1) {
      host.run(dnfScript(false), { CHECK_ONLY: 'yes' });
      const { status } = dnfDriver(false).judge(host.mount, OK, '', 0);
      assert.equal(status.changed, true);
      assert.match(status.output ?? '', /^Upgraded: a$/m);
    }
  });

  describe('with dnf-automatic', () => {
    beforeEach(() => {
      host.program('dnf-automatic', 'echo automatic; cat "$1"');
    });
    const run = (config: string, security = false) => {
      host.program('conf', '');
      const path = `${host.mount}/dnf-automatic.conf`;
      host.program('write', `cat >${path} <<'X'\n${config}\nX`);
      host.run(`sh "$(command -v write)"`);
      assert.equal(host.run(dnfScript(security), { CONFIG_PATH: path }), 0);
      return host.read(EFFECTIVE).split('\n');
    };

    test('trap 12: three lines of configuration install, at once, and do not reboot', () => {
      const lines = run(
        '[commands]\nreboot = when-needed\nrandom_sleep = 360\nupgrade_type=security\n[emitters]\nemit_via = stdio',
      );
      assert.match(host.read('dnf.out'), /^automatic$/m);
      for (const line of [
        'apply_updates = yes',
        'download_updates = yes',
        'random_sleep = 0',
        'reboot = never',
        'exit_on_lock = yes',
        'upgrade_type=security',
        'emit_via = stdio',
      ]) {
        assert.equal(lines.filter((other) => other === line).length, 1, line);
      }
      assert.doesNotMatch(lines.join('\n'), /when-needed|360/);
      assert.ok(lines.indexOf('apply_updates = yes') < lines.indexOf('[emitters]'));
    });

    test('a configuration without the section gets it; security updates alone', () => {
      const lines = run('[emitters]\nsystem_name = x', true);
      assert.ok(lines.indexOf('[commands]') > lines.indexOf('system_name = x'));
      assert.ok(lines.includes('upgrade_type = security'));
    });

    test('trap 10: without any configuration, as with dnf 5, it installs', () => {
      dnf('dnf5 version 5.2.6.2');
      assert.equal(host.run(dnfScript(false), { CONFIG_PATH: '/nowhere' }), 0);
      assert.match(host.read(EFFECTIVE), /^\[commands\]\n(.*\n)*apply_updates = yes$/m);
      assert.doesNotMatch(host.read(EFFECTIVE), /exit_on_lock/);
    });
  });

  test('a configuration for dnf-automatic, which is not there', () => {
    assert.equal(host.run(dnfScript(false), { CONFIG_PATH: '/x' }), EXIT_MISSING);
    const unit = { result: 'exit-code', exitStatus: EXIT_MISSING };
    const verdict = dnfDriver(false).judge(host.mount, unit, '', 0);
    assert.match(
      verdict.kind === 'failed' ? verdict.message : '',
      /^dnf-automatic is not on the host: install the package dnf-automatic \(/,
    );
  });

  test('trap 12: one that installs nothing is refused, the key named', () => {
    const given = (value: string) =>
      new Map([['dnf-automatic.conf', `[commands]\napply_updates = ${value}\n`]]);
    for (const value of ['no', 'False', '0']) {
      assert.throws(
        () => dnfDriver(false).prepare(host.mount, given(value)),
        /^Error: dnf-automatic\.conf: apply_updates = \w+ installs nothing; [^\n]+$/,
      );
    }
    dnfDriver(false).prepare(host.mount, given('yes'));
    assert.equal(host.has('dnf-automatic.conf'), true);
    dnfDriver(false).prepare(host.mount, null);
    assert.equal(host.has('dnf-automatic.conf'), false);
  });
});

describe('what dnf prints', () => {
  test('a failed script of a package is a failure, also with exit status 0', () => {
    for (const line of [
      'error: %prein(hu-pre-2.0-1.noarch) scriptlet failed, exit status 7',
      'warning: %post(hu-post-2.0-1.noarch) scriptlet failed, exit status 7',
      'Error in POSTTRANS scriptlet in rpm package kernel-core',
      '>>> Non-critical error in post-install scriptlet: hu-post-0:2.0-1.noarch',
      'Non-fatal POSTIN scriptlet failure in rpm package kernel-3.10.0',
    ]) {
      const { isDone, cause } = dnfOutcome(`Running transaction\n${line}\nComplete!\n`, 0);
      assert.equal(isDone, false);
      assert.equal(cause, line);
    }
  });

  test('trap 12: updates that were only offered or downloaded are no upgrade', () => {
    for (const what of ['were downloaded', 'are available']) {
      const { isDone, cause } = dnfOutcome(`The following updates ${what} on 'node-1':\n`, 0);
      assert.equal(isDone, false);
      assert.equal(cause, 'it was told to install nothing');
    }
    assert.equal(
      dnfOutcome("The following updates have been applied on 'node-1':\n", 0).isDone,
      true,
    );
  });

  test('what was held back, and why', () => {
    const output = `
 Problem: cannot install the best update candidate for package hu-broken-1.0-1.noarch
Upgrading:
 hu-later             noarch            2.0-1               hu            5.4 k
Skipping packages with broken dependencies:
 hu-broken            noarch            2.0-1               hu            5.4 k
 other                noarch            2.0-1               hu            5.4 k

Transaction Summary
Skipped:
  hu-broken-2.0-1.noarch
`;
    assert.deepEqual(dnfOutcome(output, 0), {
      isDone: true,
      notes: [
        'Held back: hu-broken (broken dependencies)',
        'Held back: other (broken dependencies)',
      ],
    });
  });

  test('an error', () => {
    assert.equal(
      dnfOutcome('x\nError: Transaction failed\n', 1).cause,
      'Error: Transaction failed',
    );
    assert.deepEqual(dnfOutcome('', null), { isDone: false, notes: [] });
  });
});
