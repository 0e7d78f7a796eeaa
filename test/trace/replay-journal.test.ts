import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { RunEvent } from '../../machines/events.ts';
import { advance, pointOf, start, stateName } from '../../machines/fold.ts';
import { foldJournal } from '../../src/journal/fold.ts';
import { replayLog } from '../../src/trace/replay.ts';
import { replayJournal } from '../../src/trace/replay-journal.ts';
import { INPUT as BASE } from '../machines/input.ts';

const INPUT = { ...BASE, deadlineInMs: 10_000 };
const DONE: RunEvent[] = [
  { type: 'lock.read', lock: { value: '', resourceVersion: '1' } },
  { type: 'lock.updated', lock: { value: 'node-1', resourceVersion: '2' } },
  { type: 'upgrade.finished', status: { rebootRequired: false, detail: '' } },
  { type: 'node.reported' },
  { type: 'lock.read', lock: { value: 'node-1', resourceVersion: '2' } },
  { type: 'lock.updated', lock: { value: '', resourceVersion: '3' } },
];
const REFUSED: RunEvent = { type: 'api.failed', message: 'connection refused' };

/** A journal's rows; one record a second from the epoch on. */
function journal(events: RunEvent[], stepMs = 1_000): string[] {
  let { snapshot } = start(INPUT);
  const common = (seq: number) => ({
    seq,
    atMs: (seq - 1) * stepMs,
    run: 'r1',
    state: stateName(snapshot.value),
  });
  const rows = [JSON.stringify({ ...common(1), input: INPUT, deadlineMs: 10_000, version: '1' })];
  for (const [index, event] of events.entries()) {
    const next = advance(snapshot, event);
    assert.ok(next);
    snapshot = next.snapshot;
    rows.push(JSON.stringify({ ...common(index + 2), event }));
  }
  return rows;
}

const text = (rows: string[]) => rows.map((row) => `${row}\n`).join('');

test('a journal is legal, and its classic lines are a legal classic log', () => {
  const replay = replayJournal(text(journal(DONE)));
  assert.deepEqual([replay.divergence, replay.runs, replay.records.length], [null, 1, 7]);
  const lines = replay.records.flatMap((record) => record.lines);
  assert.equal(lines.at(-1), '1970/01/01 00:00:06 Done');
  const again = replayLog(text(lines));
  assert.equal(again.divergence, null);
  assert.deepEqual(
    again.records.map(({ to }) => to),
    replay.records.map(({ to }) => to),
  );
});

test('a JSON log carries the same records between other lines', () => {
  const rows = journal(DONE).map((row) => `{"level":30,"msg":"x","record":${row}}`);
  rows.splice(2, 0, '{"level":30,"msg":"Scheduler is busy, skipping scheduled run"}');
  const replay = replayJournal(text(rows));
  assert.deepEqual([replay.divergence, replay.records.length], [null, 7]);
});

test('an excerpt may begin in a run, and stop in the middle of a record', () => {
  const rows = [...journal(DONE).slice(4), ...journal(DONE).map((row) => row)];
  const shifted = rows.map((row, index) => JSON.stringify({ ...JSON.parse(row), seq: index + 5 }));
  assert.equal(replayJournal(text(shifted)).runs, 1);
  assert.equal(replayJournal(text(shifted).slice(0, -20)).divergence, null);
});

const ALTERED: [string, (rows: string[]) => void, number, RegExp][] = [
  ['a record is missing', (rows) => rows.splice(2, 1), 3, /records are missing/],
  ['a record is not JSON', (rows) => rows.splice(2, 1, '{"seq":'), 3, /not JSON/],
  [
    'the upgrade has no lock',
    (rows) => rows.splice(2, 1, (rows[2] ?? '').replace('lock.updated', 'upgrade.finished')),
    3,
    /not possible; possible: .*lock\.conflicted/,
  ],
  [
    'the state is another',
    (rows) => rows.splice(2, 1, (rows[2] ?? '').replace('locked.upgrading', 'done')),
    3,
    /leads to locked\.upgrading, but the record says done/,
  ],
  [
    'the run goes on after its end',
    (rows) => rows.push((rows.at(-1) ?? '').replace('"seq":7', '"seq":8')),
    8,
    /lock\.updated is not possible/,
  ],
];
for (const [name, change, lineNumber, expected] of ALTERED) {
  test(`refused where ${name}`, () => {
    const rows = journal(DONE);
    change(rows);
    const { divergence } = replayJournal(text(rows));
    assert.equal(divergence?.lineNumber, lineNumber);
    assert.match(divergence?.message ?? '', expected);
  });
}

test('a run that ended late is a finding', () => {
  const late = journal([REFUSED, { type: 'deadline.reached' }], 8_000);
  assert.deepEqual(replayJournal(text(late)).findings, [
    'line 3: the run ended 6000 ms after its deadline 1970/01/01 00:00:10',
  ]);
  const punctual = journal([REFUSED, { type: 'deadline.reached' }], 5_000);
  assert.deepEqual(replayJournal(text(punctual)).findings, []);
});

const history = (name: string) =>
  readFileSync(new URL(`../histories/${name}.ndjson`, import.meta.url), 'utf8');

/** The JSON log of the process that went on with a run: what `kubectl logs` shows after a restart. */
function logFromRestart(text: string): string {
  const rows = text.trimEnd().split('\n');
  const at = rows.findIndex((row) => row.includes('run.interrupted'));
  const folded = foldJournal(rows.slice(0, at).map((row) => JSON.parse(row)));
  assert.ok(folded);
  const { run, deadlineMs, snapshot } = folded;
  const resumption = { run, deadlineMs, point: pointOf(snapshot) };
  const lines = [{ msg: 'a start' }, { msg: 'goes on', resumption }];
  const records = rows.slice(at).map((row) => ({ msg: '', record: JSON.parse(row) }));
  return [...lines, ...records].map((line) => `${JSON.stringify(line)}\n`).join('');
}

for (const name of ['killed', 'waiting']) {
  test(`the JSON log of a process that goes on with a run is a history: ${name}`, () => {
    const { divergence, runs, records } = replayJournal(logFromRestart(history(name)));
    assert.deepEqual([divergence, runs, records.at(-1)?.to], [null, 1, 'done']);
  });
}

test('behind the log of the process that died it changes nothing', () => {
  const text = history('killed');
  const rows = text.trimEnd().split('\n');
  const at = rows.findIndex((row) => row.includes('run.interrupted'));
  const first = `${rows.slice(0, at).join('\n')}\n`;
  const { divergence, runs } = replayJournal(first + logFromRestart(text));
  assert.deepEqual([divergence, runs], [null, 1]);
});

test('a run that had not ended when the next one began is a finding', () => {
  const [begin = ''] = history('once').split('\n');
  const again = JSON.stringify({ ...JSON.parse(begin), seq: 2, run: 'next' });
  const { divergence, findings } = replayJournal(`${begin}\n${again}\n`);
  assert.equal(divergence, null);
  assert.match(findings.join(), /^line 2: run \S+ had not ended$/);
});

const DAMAGE: [string, (record: Record<string, unknown>) => unknown, RegExp][] = [
  ['an event without its lock', (record) => ({ ...record, event: { type: 'lock.read' } }), /whole/],
  [
    'a lock that is null',
    (record) => ({ ...record, event: { type: 'lock.read', lock: null } }),
    /whole/,
  ],
];
for (const [name, change, expected] of DAMAGE) {
  test(`${name} is refused at its line`, () => {
    const rows = history('once').trimEnd().split('\n');
    const altered = rows.with(1, JSON.stringify(change(JSON.parse(rows[1] ?? ''))));
    const { divergence } = replayJournal(`${altered.join('\n')}\n`);
    assert.equal(divergence?.lineNumber, 2);
    assert.match(divergence?.message ?? '', expected);
  });
}

test('a time that no clock shows is no record', () => {
  const rows = history('once').trimEnd().split('\n');
  const begin = { ...JSON.parse(rows[0] ?? ''), deadlineMs: -1e300 };
  assert.equal(replayJournal(`${JSON.stringify(begin)}\n`).runs, 0);
});

test('an upgrade under the lock of another node is refused', () => {
  const text = history('once');
  const rows = text.trimEnd().split('\n');
  const at = rows.findIndex((row) => row.includes('lock.updated'));
  const altered = rows.with(at, (rows[at] ?? '').replace('"value":"once"', '"value":"other"'));
  assert.equal(replayJournal(`${altered.join('\n')}\n`).divergence?.lineNumber, at + 1);
});

test('nodes in one log, and what other programs and kubectl put around', () => {
  const lines = (name: string) =>
    history(name)
      .trimEnd()
      .split('\n')
      .map((row) => JSON.stringify({ node: name, record: JSON.parse(row) }));
  const [one, two] = [lines('once'), lines('stopping')];
  const mixed = [...one.slice(0, 2), ...two, 'panic: no', '', ...one.slice(2)];
  const prefixed = mixed.map((row) => (row.startsWith('{') ? `[pod/a/b] ${row}` : row));
  for (const rows of [mixed, prefixed]) {
    const { divergence, runs } = replayJournal(`${rows.join('\n')}\n`);
    assert.deepEqual([divergence, runs], [null, 2]);
  }
});
