import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { replayLog } from '../../src/trace/replay.ts';

const TRACES = new URL('../traces/', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, TRACES), 'utf8');
const documented = ['api-down.txt', 'conflict-then-watch.txt', 'deadline-while-waiting.txt'];
const original = readdirSync(new URL('original/run/', TRACES)).map(
  (name) => `original/run/${name}`,
);

const classic = (text: string) =>
  replayLog(text)
    .records.flatMap((record) => record.lines)
    .map((line) => `${line}\n`)
    .join('');

for (const path of [...documented, ...original]) {
  test(`${path} comes back byte for byte`, () => {
    const text = read(path);
    const replay = replayLog(text);
    assert.equal(replay.divergence, null);
    assert.ok(replay.runs >= 1);
    assert.equal(classic(text), text);
  });

  test(`${path} is legal wherever it stops, and from its first run on`, () => {
    const rows = read(path).split('\n').slice(0, -1);
    const first = rows.findIndex((row) => row.endsWith(' Acquiring kube lock...'));
    for (let end = first + 1; end <= rows.length; end += 1) {
      assert.equal(replayLog(`${rows.slice(first, end).join('\n')}\n`).divergence, null);
    }
  });
}

test('a run that ended after its deadline is a finding', () => {
  assert.deepEqual(replayLog(read('api-down.txt')).findings, [
    'line 11: the run ended after its deadline 2018-05-31 11:41:10, about 5 s late',
  ]);
  assert.equal(replayLog(read('deadline-while-waiting.txt')).findings.length, 1);
  assert.deepEqual(replayLog(read('original/run/up-to-date.txt')).findings, []);
});

/** Rows of contention-node-001.txt whose loss the machine must notice: every one inside the run. */
test('a missing line is refused at the line that shows it', () => {
  const rows = read('original/run/contention-node-001.txt').split('\n').slice(0, -1);
  const first = rows.findIndex((row) => row.endsWith(' Acquiring kube lock...'));
  for (let gone = first; gone < rows.length - 1; gone += 1) {
    const altered = rows.filter((_, index) => index !== gone);
    const { divergence } = replayLog(`${altered.join('\n')}\n`);
    assert.ok(divergence, `line ${gone + 1} can go missing unnoticed: ${rows[gone]}`);
    assert.ok(divergence.lineNumber >= gone, `${divergence.lineNumber} ${divergence.message}`);
    assert.ok(divergence.lineNumber <= gone + 4, `${divergence.lineNumber} ${divergence.message}`);
  }
});

function altered(path: string, change: (rows: string[]) => void) {
  const rows = read(path).split('\n');
  change(rows);
  return replayLog(rows.join('\n')).divergence;
}

test('a lock acquired while another node holds it is refused', () => {
  const divergence = altered('original/run/contention-node-001.txt', (rows) => {
    const held = rows.findIndex((row) => row.includes('lock=node-002: locked'));
    rows.splice(held + 1, 1);
  });
  assert.equal(divergence?.lineNumber, 24);
  assert.match(divergence?.message ?? '', /expected .*watch/);
});

test('an upgrade without a lock is refused', () => {
  const divergence = altered('original/run/up-to-date.txt', (rows) => {
    rows.splice(13, 6);
  });
  assert.equal(divergence?.lineNumber, 14);
  assert.match(divergence?.message ?? '', /get/);
});

test('a run that goes on after its end is refused', () => {
  const divergence = altered('original/run/up-to-date.txt', (rows) => {
    rows.splice(rows.length - 1, 0, '2026/12/01 04:32:11 Running host upgrades...');
  });
  assert.equal(divergence?.state, 'no run');
  assert.match(divergence?.message ?? '', /no run is on here/);
});

test('a wrong verdict is refused', () => {
  const divergence = altered('original/run/deadline-while-held.txt', (rows) => {
    const row = rows.findIndex((text) => text.endsWith('wait')) + 1;
    rows[row] = (rows[row] ?? '').replace('locked', 'free');
  });
  assert.match(divergence?.message ?? '', /expected .*other-node: locked/);
});
