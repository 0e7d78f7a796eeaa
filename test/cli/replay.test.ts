import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
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

test('what stands around a history does not hide it', () => {
  const journal = readFileSync(new URL('../histories/once.ndjson', import.meta.url), 'utf8');
  for (const before of ['\ufeff', '\n', 'standard error first\n', '[pod/x/y] ']) {
    assert.equal(run(['replay', '-'], `${before}${journal}`).status, 0, JSON.stringify(before));
  }
  const crlf = readFileSync(trace('api-down.txt'), 'utf8').replaceAll('\n', '\r\n');
  const plain = run(['replay', trace('api-down.txt')]);
  assert.equal(run(['replay', '-'], crlf).stdout, plain.stdout);
});

test('--help of a command is help', () => {
  for (const command of ['run', 'replay', 'diagram']) {
    const { status, stdout } = run([command, '--help']);
    assert.deepEqual([status, stdout], [0, run(['--help']).stdout], command);
  }
});

test('a full disk behind standard output is one line, not a stack', () => {
  const full = openSync('/dev/full', 'w');
  const { stderr } = spawnSync(BIN, ['replay', trace('api-down.txt')], {
    encoding: 'utf8',
    stdio: ['ignore', full, 'pipe'],
  });
  closeSync(full);
  assert.match(stderr, /host-upgrades: standard output cannot be written \(ENOSPC\)\n/);
  assert.doesNotMatch(stderr, /\n {4}at /);
});
