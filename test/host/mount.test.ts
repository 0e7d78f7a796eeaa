import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { debian } from '../../src/host/debian.ts';
import { FILES, OUTPUTS } from '../../src/host/debian-script.ts';
import { HostError } from '../../src/host/errors.ts';
import { checkHostMount } from '../../src/host/mount.ts';

describe('the host mount', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mount-'));
  after(() => rmSync(folder, { recursive: true }));
  const config = new Map([[FILES.config, '#clear A::B;\n']]);
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');

  test('one that can be written is left as it was', () => {
    checkHostMount(folder);
    assert.deepEqual(readdirSync(folder), []);
    checkHostMount(join(folder, 'made'));
    rmSync(join(folder, 'made'), { recursive: true });
  });

  test('one that cannot be written is one clear line', () => {
    writeFileSync(join(folder, 'file'), '');
    for (const path of [join(folder, 'file'), join(folder, 'file/below'), '/proc/sys']) {
      assert.throws(
        () => checkHostMount(path),
        (error: Error) => {
          assert.ok(error instanceof HostError);
          assert.match(
            error.message,
            /^--host-mount=\S+: cannot be written \(E\w+\); mount [^\n]+$/,
          );
          return true;
        },
      );
    }
    rmSync(join(folder, 'file'));
  });

  test('gets the script and the configuration, which apt is to read last', () => {
    debian.prepare(folder, config);
    assert.match(read(FILES.script), /^#!\/bin\/sh\n/);
    assert.equal(read(FILES.config), '#clear A::B;\n');
    const path = join(folder, FILES.config);
    assert.equal(read(FILES.aptConfig), `Dir::Etc::main "${path}";\n`);
    const environment = { APT_CONFIG: join(folder, FILES.aptConfig) };
    assert.deepEqual(debian.environment(folder, config), environment);
    // apt reads it as another user than root, too.
    assert.equal(statSync(path).mode & 0o777, 0o644);
  });

  test('a configuration that was taken away does not stay', () => {
    for (const none of [null, new Map([['other.conf', '']])]) {
      debian.prepare(folder, config);
      debian.prepare(folder, none);
      assert.deepEqual(readdirSync(folder), [FILES.script]);
      assert.deepEqual(debian.environment(folder, none), {});
    }
  });

  test('what a run left is gone before the next, and nothing of it is read', () => {
    for (const name of OUTPUTS) writeFileSync(join(folder, name), 'Setting up old (1) ...\n');
    debian.clean(folder);
    assert.deepEqual(readdirSync(folder), [FILES.script]);
    const { status } = debian.judge(folder, { result: 'success', exitStatus: 0 }, '', 0);
    assert.equal(status.rebootRequired, false);
    assert.equal(status.output, '');
  });
});
