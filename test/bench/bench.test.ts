import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const bench = (...args: string[]) => {
  const path = join(import.meta.dirname, 'bench.ts');
  return spawnSync(process.execPath, [path, ...args], { encoding: 'utf8' });
};

test('a wrong argument is one line and exit code 2, before anything is started', () => {
  const wrong: [string[], string][] = [
    [['--only', 'flett'], 'bench: --only=flett: give process or fleet\n'],
    [['--onyl', 'fleet'], "bench: Unknown option '--onyl'; see --help\n"],
  ];
  for (const [args, line] of wrong) {
    const { status, stdout, stderr } = bench(...args);
    assert.deepEqual([status, stdout, stderr], [2, '', line]);
  }
});

test('--help tells of each part', () => {
  const { status, stdout } = bench('--help');
  assert.equal(status, 0);
  for (const part of ['process', 'fleet']) assert.match(stdout, new RegExp(`--only ${part} `));
});
