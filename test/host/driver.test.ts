import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Commands } from '../../src/host/commands.ts';
import { debian } from '../../src/host/debian.ts';
import { chooseDriver } from '../../src/host/driver.ts';
import { parseOsRelease } from '../../src/host/os-release.ts';

describe('a host’s os-release', () => {
  test('with quotes, comments and what nobody here needs', () => {
    const text = `# of the host
NAME="openSUSE Leap"
VERSION_ID='15.6'
ID="opensuse-leap"
ID_LIKE="suse opensuse"
PRETTY_NAME="a \\"Leap\\""
`;
    const like = ['suse', 'opensuse'];
    assert.deepEqual(parseOsRelease(text), { id: 'opensuse-leap', like, version: '15.6' });
  });

  test('that says nothing', () => {
    assert.deepEqual(parseOsRelease('\nnonsense\n'), { id: '', like: [], version: '' });
  });
});

/** The file in which the family's upgrade prints: which one was chosen. */
const chosen = (text: string, commands: Commands = {}) =>
  chooseDriver(parseOsRelease(text.replaceAll(' / ', '\n')), commands).progress.at(-1);

describe('the driver of a host', () => {
  const HOSTS: Record<string, string[]> = {
    'unattended-upgrade.out': [
      'ID=debian / VERSION_ID=12',
      'ID=ubuntu / ID_LIKE=debian',
      'ID=raspbian / ID_LIKE=debian',
      'ID=linuxmint / ID_LIKE="ubuntu debian"',
    ],
    'dnf.out': [
      'ID="rhel" / ID_LIKE="fedora" / VERSION_ID="9.4"',
      'ID="rocky" / ID_LIKE="rhel centos fedora" / VERSION_ID="8.10"',
      'ID="almalinux" / ID_LIKE="rhel centos fedora" / VERSION_ID="10.0"',
      'ID="centos" / ID_LIKE="rhel fedora" / VERSION_ID="9"',
      'ID=fedora / VERSION_ID=41',
      'ID="amzn" / ID_LIKE="fedora" / VERSION_ID="2023"',
      'ID="ol" / ID_LIKE="fedora" / VERSION_ID="8.9"',
    ],
    'yum-cron.out': [
      'ID="centos" / ID_LIKE="rhel fedora" / VERSION_ID="7"',
      'ID="rhel" / ID_LIKE="fedora" / VERSION_ID="7.9"',
      'ID="amzn" / ID_LIKE="centos rhel fedora" / VERSION_ID="2"',
      'ID="amzn" / ID_LIKE="rhel fedora" / VERSION_ID="2018.03"',
    ],
    'zypper.out': [
      'ID="sles" / ID_LIKE="suse" / VERSION_ID="15.6"',
      'ID="opensuse-leap" / ID_LIKE="suse opensuse" / VERSION_ID="15.6"',
    ],
  };
  for (const [file, hosts] of Object.entries(HOSTS)) {
    for (const host of hosts) {
      test(`${host}: ${file}`, () => assert.equal(chosen(host), file));
    }
  }

  test('of Debian is the one that the original had', () => {
    assert.equal(chooseDriver(parseOsRelease('ID=debian'), {}), debian);
  });

  test('is never chosen by a name, nor without an ID', () => {
    for (const other of ['ID=arch / NAME="Debian"', 'NAME=Fedora', '', 'ID=debianish']) {
      assert.throws(
        () => chosen(other),
        /^Error: cannot upgrade a host [^\n]*: supported are Debian, Ubuntu, RHEL[^\n]*--upgrade-command$/,
      );
    }
  });

  test('is refused where zypper patch would always find nothing, with what to give instead', () => {
    const suse = 'ID_LIKE="opensuse suse"';
    assert.throws(
      () => chosen(`ID=opensuse-tumbleweed / ${suse}`),
      /--upgrade-command='zypper .*dup'$/,
    );
    for (const id of ['opensuse-microos', 'sle-micro', 'opensuse-leap-micro']) {
      assert.throws(() => chosen(`ID=${id} / ${suse}`), /='transactional-update .*up'$/);
    }
  });

  test('is the user’s commands on any host, and on one that is known too', () => {
    const file = 'upgrade-command.out';
    const any: Commands[] = [
      { upgrade: 'true' },
      { rebootRequired: 'true' },
      { rebootSentinel: '/run/reboot-required' },
    ];
    for (const commands of any) {
      assert.equal(chosen('ID=debian', commands), file);
      assert.equal(chosen('', commands), file);
    }
    // How it reboots says nothing of how it is upgraded.
    const none = { upgrade: '', rebootRequired: '', rebootSentinel: '', reboot: 'reboot' };
    assert.equal(chosen('ID=fedora', none), 'dnf.out');
  });

  test('that cannot tell security updates apart refuses to', () => {
    assert.throws(() => chosen('ID=debian', { securityOnly: true }), /^Error: --security: /);
    const own = { upgrade: 'true', securityOnly: true };
    assert.throws(() => chosen('ID=debian', own), /^Error: --security: /);
    assert.equal(chosen('ID=fedora', { securityOnly: true }), 'dnf.out');
  });
});
