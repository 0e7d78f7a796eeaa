import assert from 'node:assert/strict';
import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import type { RunEvent } from '../../machines/events.ts';
import { advance, start, stateName } from '../../machines/fold.ts';
import { openJournal } from '../../src/journal/file.ts';
import { foldJournal } from '../../src/journal/fold.ts';
import { parseJournal } from '../../src/journal/record.ts';
import { INPUT as BASE } from '../machines/input.ts';

const INPUT = { ...BASE, node: 'nœud-1' };
const EVENTS: RunEvent[] = [
  { type: 'lock.read', lock: { value: '', resourceVersion: '1' } },
  { type: 'lock.updated', lock: { value: 'nœud-1', resourceVersion: '2' } },
  { type: 'upgrade.failed', status: { rebootRequired: false, detail: '' }, message: 'é\n\u0000' },
];

function inFolder(run: (path: string, folder: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'));
  try {
    run(join(folder, 'state', 'journal.ndjson'), folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const BEGINNING = {
  atMs: 1,
  run: 'r1',
  state: stateName(start(INPUT).snapshot.value),
  input: INPUT,
  deadlineMs: 60_001,
  version: '1',
};

const refuse = (message: string) => assert.fail(message);

function writeRun(path: string, rotateBytes?: number): void {
  const journal = openJournal(path, refuse, rotateBytes);
  let { snapshot } = start(INPUT);
  const common = { atMs: 1, run: 'r1' };
  const state = () => stateName(snapshot.value);
  const append = (record: Parameters<typeof journal.number>[0]) =>
    journal.append(journal.number(record), false);
  append(BEGINNING);
  for (const event of EVENTS) {
    const next = advance(snapshot, event);
    assert.ok(next);
    snapshot = next.snapshot;
    append({ ...common, state: state(), event });
  }
  journal.close();
}

test('what was appended is read and folded again, and the sequence goes on', () => {
  inFolder((path) => {
    writeRun(path);
    const again = openJournal(path, refuse);
    assert.deepEqual(again.last?.snapshot.value, { locked: 'reporting' });
    assert.equal(again.last?.deadlineMs, 60_001);
    const event: RunEvent = { type: 'node.reported' };
    const record = again.number({ atMs: 2, run: 'r1', state: 'releasing.get', event });
    again.append(record, true);
    assert.equal(record.seq, 5);
    again.close();
    assert.equal(parseJournal(readFileSync(path)).records.length, 5);
  });
});

test('a journal cut at any byte folds to a prefix, and a new record finds a clean end', () => {
  inFolder((path) => {
    writeRun(path);
    const whole = readFileSync(path);
    const all = parseJournal(whole).records;
    for (let cut = 0; cut < whole.length; cut += 1) {
      writeFileSync(path, whole.subarray(0, cut));
      const warnings: string[] = [];
      const journal = openJournal(path, (warning) => warnings.push(warning));
      journal.close();
      const kept = readFileSync(path);
      const { records, torn } = parseJournal(kept);
      assert.deepEqual(records, all.slice(0, records.length));
      assert.deepEqual([torn, warnings.length], ['', kept.length === cut ? 0 : 1]);
    }
  });
});

test('damage in the middle is named by line, set aside and never overwritten', () => {
  const harm: [string, (rows: string[]) => void, RegExp][] = [
    ['a line lost', (rows) => rows.splice(1, 1), /line 2: sequence number 3 after 1/],
    ['not JSON', (rows) => rows.splice(1, 1, '{"seq":2,'), /line 2: not JSON/],
    [
      'another state',
      (rows) => rows.splice(1, 1, (rows[1] ?? '').replace('update', 'get')),
      /line 2: leads to acquiring\.update, not to acquiring\.get/,
    ],
    ['the beginning lost', (rows) => rows.splice(0, 1), /line 1: an event of run r1/],
  ];
  for (const [name, change, expected] of harm) {
    inFolder((path) => {
      writeRun(path);
      const rows = readFileSync(path, 'utf8').split('\n');
      change(rows);
      writeFileSync(path, rows.join('\n'));
      const warnings: string[] = [];
      const journal = openJournal(path, (warning) => warnings.push(warning));
      journal.close();
      assert.equal(journal.last, null, name);
      assert.match(warnings.join(), expected, name);
      assert.deepEqual(readdirSync(join(path, '..')), [
        'journal.ndjson',
        'journal.ndjson.damaged-1',
      ]);
      assert.equal(readFileSync(`${path}.damaged-1`, 'utf8'), rows.join('\n'));
    });
  }
});

test('an impossible event is damage, not a state', () => {
  const { snapshot } = start(INPUT);
  const common = { atMs: 1, run: 'r1', state: stateName(snapshot.value) };
  assert.throws(
    () =>
      foldJournal([
        { seq: 1, ...common, input: INPUT, deadlineMs: null, version: '1' },
        { seq: 2, ...common, event: { type: 'node.reported' } },
      ]),
    /line 2: node\.reported is not possible in acquiring\.get/,
  );
});

test('a large file is rotated when a run begins, never inside one, and the numbers go on', () => {
  inFolder((path) => {
    for (let run = 1; run <= 7; run += 1) writeRun(path, 1);
    assert.deepEqual(readdirSync(join(path, '..')).sort(), [
      'journal.ndjson',
      'journal.ndjson.1',
      'journal.ndjson.2',
      'journal.ndjson.3',
      'journal.ndjson.4',
    ]);
    const seqs = (name: string) => parseJournal(readFileSync(name)).records.map(({ seq }) => seq);
    assert.deepEqual(seqs(path), [25, 26, 27, 28]);
    assert.deepEqual(seqs(`${path}.1`), [21, 22, 23, 24]);
    // A crash between the renaming and the first record.
    rmSync(path);
    const again = openJournal(path, refuse);
    assert.deepEqual([again.last, again.number(BEGINNING).seq], [null, 25]);
    again.close();
  });
});

/** Lets `name` of node:fs fail while `use` runs. */
function failing(name: 'writeSync' | 'renameSync', use: () => void): void {
  const mocked = mock.method(fs, name, () => {
    throw Object.assign(new Error(`ENOSPC: no space left on device, ${name}`), { code: 'ENOSPC' });
  });
  syncBuiltinESMExports();
  try {
    use();
  } finally {
    mocked.mock.restore();
    syncBuiltinESMExports();
  }
}

test('after a failed write the next run begins a new file, and both are whole', () => {
  inFolder((path) => {
    writeRun(path);
    const journal = openJournal(path, refuse);
    const event: RunEvent = { type: 'node.reported' };
    const record = () => journal.number({ atMs: 2, run: 'r1', state: 'releasing.get', event });
    failing('writeSync', () => assert.throws(() => journal.append(record(), true), /ENOSPC/));
    assert.throws(
      () => journal.append(record(), true),
      /an earlier record .* could not be written/,
    );
    journal.append(journal.number(BEGINNING), true);
    journal.close();
    const seqs = (name: string) => parseJournal(readFileSync(name)).records.map(({ seq }) => seq);
    assert.deepEqual([seqs(`${path}.1`), seqs(path)], [[1, 2, 3, 4], [7]]);
    assert.equal(openJournal(path, refuse).last?.run, 'r1');
  });
});

test('a rotation that fails costs that run its journal, and nothing else is written into', () => {
  inFolder((path) => {
    const journal = openJournal(path, refuse, 1);
    journal.append(journal.number(BEGINNING), true);
    failing('renameSync', () => {
      assert.throws(() => journal.append(journal.number(BEGINNING), true), /ENOSPC/);
    });
    const before = readFileSync(path, 'utf8');
    const event: RunEvent = EVENTS[0] as RunEvent;
    const record = journal.number({ atMs: 2, run: 'r1', state: 'acquiring.update', event });
    assert.throws(() => journal.append(record, true), /an earlier record/);
    assert.equal(readFileSync(path, 'utf8'), before);
    journal.append(journal.number(BEGINNING), true);
    assert.equal(parseJournal(readFileSync(path)).records.length, 1);
    journal.close();
  });
});
