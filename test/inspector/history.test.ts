import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pointOf } from '../../machines/fold.ts';
import { replay } from '../../src/cli/replay.ts';
import { historyOf } from '../../src/inspector/history.ts';
import type { Row } from '../../src/inspector/rows.ts';
import { foldJournal } from '../../src/journal/fold.ts';
import { isJson } from '../../src/trace/history.ts';
import { replayLog } from '../../src/trace/replay.ts';
import { replayJournal } from '../../src/trace/replay-journal.ts';
import { recorded } from '../rehearsal/recorded.ts';
import { foldRows } from './fold-rows.ts';

const FILES = globSync('test/{histories/*.ndjson,traces/**/*.txt}').sort();
const text = (file: string) => readFileSync(file, 'utf8');
const recordsOf = (rows: Row[]) => rows.flatMap((row) => (row.kind === 'record' ? [row] : []));

/** That a process died is no step of a classic log. */
const withoutInterruptions = (states: string[]) =>
  states.filter((state) => state !== 'interrupted');

for (const file of FILES) {
  test(`${file}: its rows fold to the states that they say, and are what replay shows`, () => {
    const { rows, sources, runs } = historyOf(file, text(file));
    const { folded, said } = foldRows(rows);
    assert.ok(said.length > 0);
    assert.deepEqual(folded, said);
    const replayed = isJson(text(file)) ? replayJournal(text(file)) : replayLog(text(file));
    assert.equal(replayed.divergence, null);
    assert.equal(runs, replayed.runs);
    const steps = replayed.records.filter(({ event, from }) => event !== null || from === 'idle');
    assert.deepEqual(withoutInterruptions(said), withoutInterruptions(steps.map(({ to }) => to)));
    assert.equal(sources.length, 1);
    assert.ok(rows.every(({ node }) => node === sources[0]?.node && node !== ''));
  });
}

test('a journal comes as it is', () => {
  const file = 'test/histories/killed.ndjson';
  const lines = text(file).trim().split('\n');
  const { rows } = historyOf(file, text(file));
  assert.deepEqual(
    recordsOf(rows).map(({ record }) => record),
    lines.map((line) => JSON.parse(line)),
  );
});

test('a classic log: numbered from 1, the run named by its line, its times UTC, other lines as notes', () => {
  const file = 'test/traces/original/run/up-to-date.txt';
  const { rows } = historyOf('a.txt', text(file));
  const records = recordsOf(rows).map(({ record }) => record);
  assert.deepEqual(
    records.map(({ seq }) => seq),
    records.map((_, index) => index + 1),
  );
  const lines = text(file).split('\n');
  const [first] = records;
  assert.ok(first && 'input' in first);
  const at = Number(first.run.replace('line-', ''));
  assert.match(lines[at - 1] ?? '', /Acquiring kube lock/);
  const [date = '', time = ''] = (lines[at - 1] ?? '').split(' ');
  assert.equal(first.atMs, Date.parse(`${date.replaceAll('/', '-')}T${time}Z`));
  const [note] = rows;
  assert.deepEqual([note?.kind, note?.node], ['note', first.input.node]);
  assert.ok(note?.kind === 'note' && lines[0]?.endsWith(note.text) && !/^\d{4}\//.test(note.text));
});

test('the version and the deadline of a run come from the lines before it', () => {
  const log = `2018/05/31 11:00:00 pharos-host-upgrades version 0.3.1 (go)
2018/05/31 11:00:00 Schedule run started, deadline at 2018-05-31 12:00:00 +0000 UTC
2018/05/31 11:00:01 Acquiring kube lock...
2018/05/31 11:00:01 kube/lock kube-system/daemonsets/host-upgrades: get
`;
  const [record] = recordsOf(historyOf('a', log).rows).map((row) => row.record);
  assert.ok(record && 'input' in record);
  assert.deepEqual([record.version, record.deadlineMs], ['0.3.1', Date.UTC(2018, 4, 31, 12)]);
});

test('a process that died is an event of the log that goes on', () => {
  const log = `2026/01/06 03:00:00 host-upgrades version 0.1.0 (Node)
2026/01/06 03:00:00 Skip kube locking
2026/01/06 03:00:00 Running host upgrades...
2026/01/06 03:00:05 host-upgrades version 0.1.0 (Node)
2026/01/06 03:00:05 Resuming the interrupted run...
2026/01/06 03:00:05 Running host upgrades...
`;
  const { rows } = historyOf('a', log);
  const types = recordsOf(rows).map(({ record }) =>
    'event' in record ? record.event.type : 'input',
  );
  assert.deepEqual(types, ['input', 'run.interrupted', 'run.resumed']);
  const { folded, said } = foldRows(rows);
  assert.deepEqual(folded, said);
});

test('an excerpt that begins with a run that goes on carries where that run was', () => {
  const log = `2026/01/06 03:00:05 host-upgrades version 0.1.0 (Node)
2026/01/06 03:00:05 Resuming the interrupted run...
2026/01/06 03:00:05 Running host upgrades...
`;
  const { rows } = historyOf('a', log);
  const [first] = recordsOf(rows);
  assert.equal(first?.point?.value, 'interrupted');
  const { folded, said } = foldRows(rows);
  assert.deepEqual(folded, said);
});

test('a JSON log that begins inside a run folds on from the point that it tells', async () => {
  const { records } = await recorded({ nodes: 1, faults: ['restart'] });
  const lines = records.map(({ record }) => record);
  const at = lines.findIndex((record) => 'event' in record && record.event.type === 'run.resumed');
  assert.ok(at > 0);
  const left = foldJournal(lines.slice(0, at));
  const point = left && pointOf(left.snapshot);
  const resumption = { run: lines[0]?.run, deadlineMs: null, point };
  const time = new Date(0).toISOString();
  const log = [
    { level: 'info', time, resumption, msg: 'Run goes on' },
    ...lines.slice(at).map((record) => ({ level: 'info', time, record, msg: 'x' })),
  ];
  const { rows } = historyOf('a', log.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { folded, said } = foldRows(rows);
  assert.deepEqual(folded, said);
  assert.equal(said.length, lines.length - at);
  assert.deepEqual(rows[0], {
    kind: 'note',
    node: 'node-1',
    file: 0,
    line: 1,
    atMs: 0,
    text: 'Run goes on',
  });
});

test('several nodes in one file are several sources', async () => {
  const { records } = await recorded({ nodes: 3 });
  const { rows, sources } = historyOf(
    'all.ndjson',
    records.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
  assert.deepEqual(
    sources.map(({ name, node }) => [name, node]).sort(),
    [1, 2, 3].map((n) => [`all.ndjson (node-${n})`, `node-${n}`]),
  );
  const { folded, said } = foldRows(rows);
  assert.deepEqual(folded, said);
  assert.equal(said.length, records.length);
});

/** What `replay` writes on standard error, and the rows, for a history in which one line is missing. */
function refused(file: string, line: number) {
  const lines = text(file).split('\n');
  lines.splice(line, 1);
  const folder = mkdtempSync(join(tmpdir(), 'refused-'));
  try {
    const name = join(folder, 'history');
    writeFileSync(name, lines.join('\n'));
    let err = '';
    const code = replay([name], { write: () => {} }, { write: (said) => (err += said) });
    return {
      code,
      err: err.replace(/^finding: .*\n/gm, ''),
      rows: historyOf(name, lines.join('\n')).rows,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const [file, line] of [
  ['test/histories/killed.ndjson', 5],
  ['test/traces/original/run/up-to-date.txt', 22],
] as const) {
  test(`${file} without line ${line + 1} breaks where replay says, in its words, behind the last good record`, () => {
    const { code, err, rows } = refused(file, line);
    assert.equal(code, 1);
    const last = rows.at(-1);
    assert.ok(last?.kind === 'divergence');
    assert.equal(`${last.source}:${last.line}: in ${last.state}: ${last.message}\n`, err);
    const { folded, said } = foldRows(rows);
    assert.deepEqual(folded, said);
    assert.ok(said.length > 0);
  });
}
