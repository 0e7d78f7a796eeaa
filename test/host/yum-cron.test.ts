import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { EXIT_BUSY, EXIT_MISSING } from '../../src/host/shell.ts';
import { yumCronDriver, yumCronScript } from '../../src/host/yum-cron.ts';
import { programHost } from './programs.ts';

const OK = { result: 'success', exitStatus: 0 };
const EFFECTIVE = 'yum-cron.effective.conf';

describe('the script for CentOS 7', () => {
  const host = programHost();
  after(host.remove);
  beforeEach(() => {
    host.reset();
    host.program('rpm', 'echo a 0:1-1.noarch');
    host.program('yum', 'echo "$*"');
    host.program('yum-cron', 'echo cron; cat "$1"');
    host.program('needs-restarting', '[ "$*" = -r ] || exit 3; echo "Reboot is required"; exit 1');
  });
  const config = (text: string) => new Map([['yum-cron.conf', text]]);
  const THREE_LINES = '[commands]\nupdate_messages = yes\nemit_via = stdio\n';

  test('trap 12: three lines of configuration install, and nothing sleeps', () => {
    const driver = yumCronDriver(false);
    const own = config(`${THREE_LINES}random_sleep = 360\n`);
    driver.prepare(host.mount, own);
    assert.equal(host.run(yumCronScript(false), driver.environment(host.mount, own)), 0);
    const effective = host.read(EFFECTIVE);
    assert.match(effective, /^random_sleep = 0$/m);
    assert.match(effective, /^apply_updates = yes$/m);
    assert.match(effective, /^update_messages = yes$/m);
    assert.doesNotMatch(effective, /360/);
    assert.equal(host.read('yum-cron.out'), `cron\n${effective}`);
    const verdict = driver.judge(host.mount, OK, '', 0);
    assert.equal(verdict.kind, 'finished');
    assert.equal(verdict.status.rebootRequired, true);
    assert.equal(verdict.status.changed, false);
  });

  test('trap 12: a configuration that installs nothing is refused', () => {
    const own = config('[commands]\napply_updates = no\n');
    assert.throws(
      () => yumCronDriver(false).prepare(host.mount, own),
      /^Error: yum-cron\.conf: apply_updates = no installs nothing; /,
    );
  });

  test('trap 12: an upgrade that only downloaded is a failure', () => {
    host.program('yum-cron', `echo "The following updates were downloaded on c7:"`);
    assert.equal(host.run(yumCronScript(false)), 0);
    const verdict = yumCronDriver(false).judge(host.mount, OK, '', 0);
    assert.match(
      verdict.kind === 'failed' ? verdict.message : '',
      /^Failed to run yum-cron: it was told to install nothing\n/,
    );
  });

  test('security updates alone', () => {
    host.run(yumCronScript(true));
    assert.match(host.read(EFFECTIVE), /^update_cmd = security$/m);
  });

  test('another yum is waited for, not for ever', () => {
    host.program('yum-cron', 'echo "Another app is currently holding the yum lock"; exit 1');
    assert.equal(host.run(yumCronScript(false), { BUSY_LIMIT_S: '5' }), EXIT_BUSY);
    const unit = { result: 'exit-code', exitStatus: EXIT_BUSY };
    const verdict = yumCronDriver(false).judge(host.mount, unit, '', 0);
    assert.match(verdict.kind === 'failed' ? verdict.message : '', /^package manager busy: /);
  });

  test('without yum-cron: which package to install', () => {
    host.reset();
    assert.equal(host.run(yumCronScript(false)), EXIT_MISSING);
    const unit = { result: 'exit-code', exitStatus: EXIT_MISSING };
    const verdict = yumCronDriver(false).judge(host.mount, unit, '', 0);
    assert.match(verdict.kind === 'failed' ? verdict.message : '', /install the package yum-cron$/);
    assert.match(verdict.status.rebootUnknown ?? '', /; install the package yum-utils$/);
  });
});
