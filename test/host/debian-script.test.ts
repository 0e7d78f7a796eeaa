import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import { DEBIAN_SCRIPT, FILES } from '../../src/host/debian-script.ts';
import { EXIT_BUSY, EXIT_MISSING, WAITING } from '../../src/host/shell.ts';

describe('the script for Debian, with programs that misbehave', () => {
  const folder = mkdtempSync(join(tmpdir(), 'script-'));
  const mount = join(folder, 'mount');
  const programs = join(folder, 'programs');
  after(() => rmSync(folder, { recursive: true }));

  const program = (name: string, script: string) =>
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  beforeEach(() => {
    for (const path of [mount, programs]) {
      rmSync(path, { recursive: true, force: true });
      mkdirSync(path);
    }
    // Nothing of the machine but these: it may have an apt of its own.
    for (const tool of ['cat', 'cp', 'grep', 'ls', 'sed', 'sort', 'tail', 'touch', 'uname', 'wc']) {
      symlinkSync(
        existsSync(`/bin/${tool}`) ? `/bin/${tool}` : `/usr/bin/${tool}`,
        join(programs, tool),
      );
    }
    program('apt-get', 'echo lists');
    program('unattended-upgrade', 'echo upgraded');
    program('dpkg-query', `printf 'ii  fine\\niF  half\\niU  unpacked\\nrc  gone\\niHR broken\\n'`);
    program('sleep', `echo "$1" >>${folder}/sleeps`);
    rmSync(join(folder, 'sleeps'), { force: true });
  });

  const read = (name: string) => readFileSync(join(mount, name), 'utf8');
  const run = (limitS = 600) => {
    const script = join(folder, 'script.sh');
    writeFileSync(script, DEBIAN_SCRIPT);
    const env = {
      PATH: programs,
      HOST_PATH: mount,
      BUSY_LIMIT_S: `${limitS}`,
      BUSY_PAUSE_S: '5',
    };
    return spawnSync('/bin/sh', [script], { env }).status;
  };
  /** Fails so often, then works. */
  const failing = (times: number, output: string) => `n=$(cat ${mount}/tries 2>/dev/null || echo 0)
echo $((n + 1)) >${mount}/tries
[ "$n" -ge ${times} ] && echo 'upgraded at last' && exit 0
echo '${output}'
exit 1`;

  test('all well', () => {
    assert.equal(run(), 0);
    assert.equal(read(FILES.update), 'lists\n');
    assert.equal(read(FILES.upgrade), 'upgraded\n');
    assert.equal(read(FILES.exitStatus), '0\n');
  });

  test('packages that are neither installed nor removed are told', () => {
    run();
    assert.equal(read(FILES.broken), 'half\nunpacked\nbroken\n');
  });

  for (const line of [
    'Lock could not be acquired (another package manager running?)',
    'Cache lock can not be acquired, exiting',
    'Lock file is already taken, exiting',
    'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1 (apt)',
    'E: Unable to lock directory /var/lib/apt/lists/',
    'E: Unable to acquire the dpkg frontend lock',
  ]) {
    test(`waits and tries again: ${line}`, () => {
      program('unattended-upgrade', failing(3, line));
      assert.equal(run(), 0);
      const output = read(FILES.upgrade);
      assert.equal(output.split(WAITING).length - 1, 3);
      assert.match(output, /upgraded at last\n$/);
      assert.equal(readFileSync(join(folder, 'sleeps'), 'utf8'), '5\n10\n20\n');
    });
  }

  test('does not wait for ever', () => {
    program('unattended-upgrade', `echo 'Lock file is already taken, exiting'; exit 1`);
    assert.equal(run(60), EXIT_BUSY);
    assert.equal(readFileSync(join(folder, 'sleeps'), 'utf8'), '5\n10\n20\n30\n');
    assert.equal(read(FILES.exitStatus), `${EXIT_BUSY}\n`);
  });

  test('an earlier lock does not make a later failure look busy', () => {
    program(
      'unattended-upgrade',
      `if [ -e ${mount}/tried ]; then echo broken; exit 3; fi
touch ${mount}/tried; echo 'Lock file is already taken, exiting'; exit 1`,
    );
    assert.equal(run(), 3);
  });

  test('package lists that cannot be read end it', () => {
    program('apt-get', 'echo no network; exit 100');
    assert.equal(run(), 100);
    assert.equal(read(FILES.update), 'no network\n');
    assert.throws(() => read(FILES.upgrade), /ENOENT/);
    assert.equal(read(FILES.exitStatus), '100\n');
  });

  test('without unattended-upgrade nothing is run', () => {
    rmSync(join(programs, 'unattended-upgrade'));
    assert.equal(run(), EXIT_MISSING);
  });
});
