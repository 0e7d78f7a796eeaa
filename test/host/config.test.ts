import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { DEFAULT_CONFIG_PATH, readConfig } from '../../src/host/config.ts';
import { HostError } from '../../src/host/errors.ts';

describe('the mounted configuration', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'config-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Puts a set of files in place as the kubelet does: a folder, a link to it, swapped by rename. */
  const mountSet = (version: string, files: Record<string, string>) => {
    const set = `..2026_${version}`;
    mkdirSync(join(folder, set));
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, set, name), text);
      utimesSync(join(folder, set, name), 1, 1);
      const link = join(folder, name);
      if (!readdirSync(folder).includes(name)) symlinkSync(`..data/${name}`, link);
    }
    symlinkSync(set, join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
  };

  test('a ConfigMap’s files, and not the links between them', () => {
    mountSet('a', { 'x.conf': 'one', 'y.conf': 'two' });
    assert.deepEqual(Object.fromEntries(readConfig(folder) ?? []), {
      'x.conf': 'one',
      'y.conf': 'two',
    });
  });

  test('each swap is seen, also with the same times', () => {
    for (const version of ['a', 'b', 'c']) {
      mountSet(version, { 'x.conf': version });
      assert.equal(readConfig(folder)?.get('x.conf'), version);
    }
  });

  test('a swap in the middle of reading gives one whole set', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `${index}.conf`);
    const files = (text: string) => Object.fromEntries(names.map((name) => [name, text]));
    mountSet('0', files('0'));
    // Swaps as fast as it can, and removes the old set at once, as the kubelet does.
    const worker = new Worker(
      `const { workerData: { folder, names }, parentPort } = require('node:worker_threads');
const fs = require('node:fs');
for (let version = 1; version <= 300; version += 1) {
  const set = folder + '/..2026_' + version;
  fs.mkdirSync(set);
  for (const name of names) fs.writeFileSync(set + '/' + name, String(version));
  fs.symlinkSync('..2026_' + version, folder + '/..data_tmp');
  fs.renameSync(folder + '/..data_tmp', folder + '/..data');
  fs.rmSync(folder + '/..2026_' + (version - 1), { recursive: true });
}
parentPort.postMessage('done');`,
      { eval: true, workerData: { folder, names } },
    );
    let isDone = false;
    worker.once('message', () => {
      isDone = true;
    });
    const seen = new Set<string>();
    while (!isDone) {
      const config = readConfig(folder);
      const values = new Set(config?.values());
      assert.equal(config?.size, names.length);
      assert.equal(values.size, 1, `mixed: ${[...values]}`);
      for (const value of values) seen.add(value);
      // Lets the worker's message in.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await worker.terminate();
    assert.ok(seen.size > 1, 'no swap was seen');
  });

  test('a plain folder is read too', () => {
    writeFileSync(join(folder, 'x.conf'), 'one');
    mkdirSync(join(folder, 'sub'));
    assert.deepEqual([...(readConfig(folder) ?? [])], [['x.conf', 'one']]);
  });

  test('a path that was given must be there', () => {
    const path = join(folder, 'nothing');
    assert.throws(
      () => readConfig(path),
      (error: Error) => {
        assert.ok(error instanceof HostError);
        assert.match(
          error.message,
          /^--config-path=\S+nothing: cannot be read \(ENOENT\); [^\n]+$/,
        );
        return true;
      },
    );
  });

  test('a path that is no folder, or leads nowhere', () => {
    writeFileSync(join(folder, 'file'), '');
    assert.throws(() => readConfig(join(folder, 'file')), /^Error: --config-path=.*ENOTDIR/);
    assert.throws(() => readConfig(join(folder, 'file/below')), /^Error: --config-path=.*ENOTDIR/);
    symlinkSync('loop', join(folder, 'loop'));
    assert.throws(() => readConfig(join(folder, 'loop')), /^Error: --config-path=.*ELOOP/);
    rmSync(join(folder, 'loop'));
    symlinkSync('gone', join(folder, '..data'));
    assert.equal(readConfig(folder)?.size, 1);
  });

  test('the default one need not', () => {
    const isThere = readdirSync('/etc').includes('host-upgrades');
    if (!isThere) assert.equal(readConfig(DEFAULT_CONFIG_PATH), null);
  });
});
