import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../src/host-upgrades', import.meta.url));
const trace = (name: string) => fileURLToPath(new URL(`../traces/${name}`, import.meta.url));

function run(args: string[], input = '') {
  return spawnSync(BIN, args, { input, encoding: 'utf8' });
}

test('replay --format=classic gives the log back and exits 0', () => {
  const file = trace('conflict-then-watch.txt');
  const { status, stdout, stderr } = run(['replay', '--format=classic', file]);
  assert.deepEqual([status, stdout, stderr], [0, readFileSync(file, 'utf8'), '']);
});

test('replay shows from, to and event of each step, and findings on standard error', () => {
  const { status, stdout, stderr } = run(['replay', trace('api-down.txt')]);
  assert.equal(status, 0);
  assert.match(
    stdout,
    /2018\/05\/31 11:41:01 {2}acquiring\.backoff -> acquiring\.get {2}backoff\.elapsed\n/,
  );
  assert.match(stderr, /^finding: .*api-down\.txt: line 11: .* about 5 s late\n$/);
});

test('a divergence names file, line, state and what was possible, and exits 1', () => {
  const text = readFileSync(trace('original/run/up-to-date.txt'), 'utf8')
    .split('\n')
    .filter((row) => !row.endsWith('Running host upgrades...'))
    .join('\n');
  const { status, stderr } = run(['replay', '-'], text);
  assert.equal(status, 1);
  assert.match(stderr, /^<stdin>:20: in acquiring\.update: .*possible: .*lock\.updated/);
});

const BAD: [string[], RegExp][] = [
  [['replay'], /name the log to replay/],
  [['replay', '/nowhere'], /\/nowhere: cannot be read \(ENOENT\)/],
  [['replay', '/'], /cannot be read \(EISDIR\)/],
  [['replay', '--format=xml', '-'], /give states, classic or json/],
  [['replay', '--fromat=json', '-'], /--fromat/],
  [['replay', '-', 'more'], /one file at a time/],
  [['replay', '-'], /<stdin>:1: not a history/],
  [['rpelay'], /unknown command rpelay; see host-upgrades --help/],
];
for (const [args, expected] of BAD) {
  test(`${args.join(' ')} is one clear line and exit 2`, () => {
    const { status, stdout, stderr } = run(args, 'no history\n');
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, expected);
    assert.equal(stderr.split('\n').length, 2);
  });
}

test('--help and --version exit 0', () => {
  assert.match(run(['--help']).stdout, /replay/);
  assert.match(run(['--version']).stdout, /^host-upgrades \d+\.\d+\.\d+\n$/);
});
