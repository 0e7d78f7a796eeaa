import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { replayLog } from '../../src/trace/replay.ts';

const TRACES = fileURLToPath(new URL('../traces/', import.meta.url));
const read = (path: string) => readFileSync(`${TRACES}${path}`, 'utf8');
const rowsOf = (path: string) => read(path).split('\n').slice(0, -1);
const joined = (rows: string[]) => rows.map((row) => `${row}\n`).join('');
const classic = (text: string) => joined(replayLog(text).records.flatMap((record) => record.lines));
const runs = globSync('{*.txt,original/run/*.txt}', { cwd: TRACES });

for (const path of runs) {
  test(`${path} with a line of its run doubled is refused at the second one`, () => {
    const rows = rowsOf(path);
    const first = rows.findIndex((row) => row.endsWith(' Acquiring kube lock...'));
    for (let at = first; at < rows.length; at += 1) {
      const row = rows[at] ?? '';
      // A change that changes nothing of the lock, what is no run's line, a run's error in free words.
      if (/: test \S+: (locked|free)$|Scheduler is busy|^[^2]|:\d\d Failed to run/.test(row))
        continue;
      const { divergence } = replayLog(joined(rows.toSpliced(at, 0, row)));
      assert.ok(divergence, `line ${at + 1} doubled: ${row}`);
      assert.ok(divergence.lineNumber >= at + 1 && divergence.lineNumber <= at + 3, row);
    }
  });

  test(`${path} with other programs' untimed lines in between is legal, and comes back`, () => {
    const rows = rowsOf(path);
    for (let at = 1; at <= rows.length; at += 1) {
      // Between the lines, not within one of several rows, nor behind an error in words of its own.
      if (/^[^2]/.test(rows[at] ?? '2') || /retrying: |wait err: |failed/i.test(rows[at - 1] ?? ''))
        continue;
      const foreign = 'E1201 04:25:00.1       1 reflector.go:134] no kind is registered';
      const text = joined(rows.toSpliced(at, 0, foreign));
      const { divergence } = replayLog(text);
      assert.equal(divergence, null, `behind line ${at}: ${JSON.stringify(divergence)}`);
      assert.equal(classic(text), text);
    }
  });
}

test('a free lock that is tested twice before it is taken ends the replay, and not the machine', () => {
  const rows = rowsOf('conflict-then-watch.txt');
  const { divergence } = replayLog(joined(rows.toSpliced(12, 0, rows[12] ?? '')));
  assert.equal(divergence?.lineNumber, 14);
});

const START: [string, (rows: string[]) => void, RegExp][] = [
  [
    'clears the lock of another node',
    (rows) => rows.splice(12, 1, clear('other')),
    /clear .*other/,
  ],
  ['updates without a clear', (rows) => rows.splice(12, 1), /update/],
  [
    'takes its own lock for another’s',
    (rows) => rows.splice(9, 1, (rows[9] ?? '').replace(/acquired$/, 'locked')),
    /locked/,
  ],
];
function clear(node: string): string {
  return `2026/12/01 04:27:01 kube/lock kube-system/daemonsets/host-upgrades: clear pharos-host-upgrades.kontena.io/lock=${node}`;
}
for (const [name, change, expected] of START) {
  test(`a start that ${name} is refused`, () => {
    const rows = rowsOf('original/run/own-lock-at-start.txt');
    change(rows);
    assert.match(replayLog(joined(rows)).divergence?.message ?? 'legal', expected);
  });
}

test('half of a condition is no foreign line', () => {
  const rows = rowsOf('original/reboot/reboot-with-drain.txt');
  const at = rows.findIndex((row) => row.includes('Update kube node'));
  const { divergence } = replayLog(joined(rows.toSpliced(at + 1, 1)));
  assert.equal(divergence?.lineNumber, at + 1);
});

test('control bytes within a line do not end it', () => {
  const text = read('original/run/api-down.txt').replaceAll(
    'connection refused',
    'connection\rrefu\u2028sed',
  );
  assert.equal(replayLog(text).divergence, null);
  assert.equal(classic(text), text);
});
