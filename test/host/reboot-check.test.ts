import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  anyAnswer,
  commandAnswer,
  needsRebooting,
  needsRestarting,
  sentinelAnswer,
} from '../../src/host/reboot-check.ts';

const NO = { required: false, message: '' };

describe('needs-restarting -r', () => {
  const command = 'dnf needs-restarting -r';
  const answer = (exitStatus: string, output: string) =>
    needsRestarting({ command, exitStatus, output }, 'dnf-plugins-core');
  const unknown = (exitStatus: string, output: string) => {
    const { required, unknown = '', message } = answer(exitStatus, output);
    assert.equal(required, false);
    assert.equal(message, '');
    return unknown;
  };

  const DNF = `Core libraries or services have been updated since boot-up:
  * systemd
  * kernel
  * kernel

Reboot is required to fully utilize these updates.
More information: https://access.redhat.com/solutions/27943
`;
  const YUM = `Core libraries or services have been updated:
  kernel -> 3.10.0-1160.118.1.el7
  glibc -> 2.17-326.el7_9.3

Reboot is required to ensure that your system benefits from these updates.
`;

  test('trap 8: 1 with the words is a yes, the packages named', () => {
    assert.deepEqual(answer('1', DNF), {
      required: true,
      message: 'Reboot is required: kernel, systemd',
    });
    assert.equal(answer('1', YUM).message, 'Reboot is required: glibc, kernel');
    assert.deepEqual(answer('1', 'Reboot is required to fully utilize these updates.\n'), {
      required: true,
      message: 'Reboot is required',
    });
  });

  test('trap 10: dnf 5 with its chatter is a yes too', () => {
    const output = `Updating and loading repositories:\nRepositories loaded.\n${DNF}`;
    assert.equal(answer('1', output).message, 'Reboot is required: kernel, systemd');
  });

  test('trap 11: the same cause is the same text, whatever the order', () => {
    const other = DNF.replace('* systemd\n  * kernel', '* kernel\n  * systemd');
    assert.deepEqual(answer('1', other), answer('1', DNF));
  });

  test('0 is a no', () => {
    assert.deepEqual(answer('0', 'No core libraries or services have been updated.\n'), NO);
  });

  test('trap 10: a list of processes with 0 is a no', () => {
    assert.deepEqual(answer('0', '810 : /usr/lib/systemd/systemd-journald\n'), NO);
  });

  test('trap 8: anything else is unknown, with its cause', () => {
    assert.equal(
      unknown('127', 'sh: 1: dnf: not found\n'),
      `${command}: exit status 127: sh: 1: dnf: not found; install the package dnf-plugins-core`,
    );
    assert.equal(unknown('126', ''), `${command}: exit status 126`);
    assert.equal(
      unknown('1', 'No such command: needs-restarting. Please use /usr/bin/dnf --help\n'),
      `${command}: exit status 1: No such command: needs-restarting. Please use /usr/bin/dnf --help; install the package dnf-plugins-core`,
    );
    assert.match(
      unknown('2', 'Unknown argument "-r" for command "needs-restarting".\n'),
      /exit status 2/,
    );
    assert.equal(unknown('137', ''), `${command}: killed by SIGKILL`);
    assert.equal(unknown('', ''), `${command}: was not run`);
    assert.match(unknown('1', 'Error: cannot open the rpm database\n'), /exit status 1: Error: /);
    // Its words without its exit code prove nothing.
    assert.match(unknown('2', DNF), /exit status 2/);
  });
});

describe('zypper needs-rebooting', () => {
  const command = 'zypper needs-rebooting';
  const answer = (exitStatus: string, output = '') =>
    needsRebooting({ command, exitStatus, output });
  const YES = `Core libraries or services have been updated.
Reboot is required to ensure that your system benefits from these updates.
`;

  test('trap 14: 102 is a yes, 0 is a no', () => {
    assert.deepEqual(answer('102', YES), {
      required: true,
      message: 'Reboot is required to ensure that your system benefits from these updates.',
    });
    assert.deepEqual(answer('0', 'Reboot is probably not necessary.\n'), NO);
  });

  test('trap 14: an old zypper does not know it: unknown', () => {
    assert.deepEqual(answer('2', "Unknown command 'needs-rebooting'\n"), {
      required: false,
      unknown: `${command}: exit status 2: Unknown command 'needs-rebooting'`,
      message: '',
    });
    for (const status of ['1', '127', '']) assert.ok(answer(status).unknown);
  });
});

describe('the user’s own checks', () => {
  const command = '--reboot-required-command';
  const answer = (exitStatus: string, output = '') =>
    commandAnswer({ command, exitStatus, output });

  test('trap 8: 0 is a yes, 1 a no, and a command that is not there neither', () => {
    assert.deepEqual(answer('0'), { required: true, message: `${command} says so` });
    assert.equal(answer('0', 'two\nkernel 6.2\n').message, 'kernel 6.2');
    assert.deepEqual(answer('1', 'no\n'), NO);
    assert.equal(
      answer('127', 'x: not found\n').unknown,
      `${command}: exit status 127: x: not found`,
    );
    assert.equal(answer('').required, false);
  });

  test('a file that is there is a yes', () => {
    assert.deepEqual(sentinelAnswer('/run/x', null), NO);
    assert.equal(sentinelAnswer('/run/x', '').message, '/run/x is there');
    assert.equal(sentinelAnswer('/run/x', 'restart\n').message, '/run/x: restart');
  });

  test('of two, a yes counts, and an unknown more than a no', () => {
    const yes = { required: true, message: 'a' };
    const unknown = { required: false, unknown: 'who knows', message: '' };
    assert.deepEqual(anyAnswer([NO, unknown]), unknown);
    assert.deepEqual(anyAnswer([unknown, yes]), yes);
    assert.equal(anyAnswer([yes, { ...yes, message: 'b' }]).message, 'a; b');
    assert.deepEqual(anyAnswer([NO, NO]), NO);
  });
});
