import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLayout } from '../../../src/diagram/layout.ts';
import { machineModel } from '../../../src/diagram/model.ts';
import { historyOf } from '../../../src/inspector/history.ts';
import { mergeRows } from '../../../src/inspector/merge.ts';
import { Session } from '../../../src/inspector/page/session.ts';
import type { Row } from '../../../src/inspector/rows.ts';
import { replayJournal } from '../../../src/trace/replay-journal.ts';
import { rowsOf, textOf } from './rows.ts';

function sessionOf(rows: Row[]): Session {
  const session = new Session({ ...machineModel(), layout: readLayout() });
  session.append(rows);
  return session;
}

const rows = rowsOf('once.ndjson');
const note: Row = { kind: 'note', node: 'once', atMs: 0, text: 'a remark' };

test('the newest row is followed until another one is selected', () => {
  const session = sessionOf(rows.slice(0, 5));
  assert.equal(session.selected, 4);
  session.step(-2);
  session.append(rows.slice(5, 8));
  assert.deepEqual([session.selected, session.isFollowing], [2, false]);
  session.last();
  session.append(rows.slice(8));
  assert.equal(session.selected, 7);
  session.follow(true);
  assert.equal(session.selected, rows.length - 1);
});

test('steps go over the rows that pass the filter, also from one that does not', () => {
  const session = sessionOf(rows);
  session.select(10);
  session.narrow({ type: 'lock.read' });
  assert.equal(session.shownCount, 2);
  session.step(1);
  assert.equal(session.selected, 26);
  session.select(10);
  session.step(-1);
  assert.equal(session.selected, 1);
  session.step(-1);
  assert.equal(session.selected, 1);
});

test('rows that come pass the filter or do not', () => {
  const session = sessionOf(rows.slice(0, 10));
  session.narrow({ type: 'lock.updated' });
  assert.equal(session.shownCount, 1);
  session.append(rows.slice(10));
  assert.equal(session.shownCount, 2);
  assert.equal(session.selected, 27);
});

test('playing goes on to the last row and stops; at the end it begins again', () => {
  const session = sessionOf(rows.slice(0, 4));
  session.play(true);
  assert.equal(session.selected, 0);
  for (let step = 0; step < 3; step += 1) session.playOn();
  assert.deepEqual([session.selected, session.isPlaying], [3, false]);
  session.play(true);
  session.follow(true);
  assert.deepEqual([session.selected, session.isPlaying], [3, false]);
});

test('a remark shows the moment of the record ahead of it', () => {
  const session = sessionOf([...rows.slice(0, 3), note, ...rows.slice(3, 5)]);
  session.select(3);
  assert.equal(session.moment?.index, 2);
  const alone = sessionOf([note]);
  assert.equal(alone.moment, null);
});

test('opened files take the place of everything', () => {
  const session = sessionOf(rows);
  session.narrow({ text: 'lock' });
  session.open({ rows: rows.slice(0, 3), sources: [], title: 'a.ndjson' });
  assert.equal(session.shownCount, 3);
  assert.equal(session.connection, 'files');
  assert.equal(session.source?.isPaced, false);
});

/** A session that has verified everything, and what `replay` says of its first file. */
function verified(texts: string[]): Session {
  const histories = texts.map((text, file) => historyOf(`${file}.ndjson`, text, file));
  const session = sessionOf(mergeRows(histories.map((history) => history.rows)));
  const verify = () => {
    while (session.verifier.work(() => false));
    return session.endBroken();
  };
  while (verify());
  return session;
}

const said = (session: Session) =>
  session.breaks().map(({ where, message }) => `${where}: ${message}`);

function replayed(name: string, text: string): string[] {
  const { divergence } = replayJournal(text);
  if (divergence === null) return [];
  const { lineNumber, state, message } = divergence;
  return [`${name}:${lineNumber}: in ${state}: ${message}`];
}

/** Every record of a journal made one that the machine refuses, by its state or its event. */
function alterations(name: string): string[] {
  const lines = textOf(name).trimEnd().split('\n');
  return lines.flatMap((line, at) => {
    const record = JSON.parse(line);
    const others: object[] = [
      { ...record, state: 'acquiring.get' },
      'event' in record
        ? { ...record, event: { type: 'reboot.expired' } }
        : { ...record, input: { node: 1 } },
      { ...record, event: record.event && { type: record.event.type } },
    ];
    return others.map((other) => `${lines.toSpliced(at, 1, JSON.stringify(other)).join('\n')}\n`);
  });
}

for (const name of ['once.ndjson', 'killed.ndjson']) {
  test(`${name} altered anywhere ends where replay says, in its words`, () => {
    let refused = 0;
    for (const text of alterations(name)) {
      const session = verified([text]);
      const expected = replayed('0.ndjson', text);
      assert.deepEqual(said(session), expected);
      if (expected.length === 0) continue;
      refused += 1;
      const last = session.history.items.at(-1);
      assert.equal(last?.row.kind, 'divergence');
      // All that stands ahead of it is there, and nothing behind it.
      assert.equal(last?.row.line, session.history.items.length);
    }
    assert.ok(refused > 50, `${refused} refused`);
  });
}

test('of several files only the refused one ends, with what comes of it later', () => {
  const lines = textOf('once.ndjson').trimEnd().split('\n');
  const altered = lines.toSpliced(9, 1, (lines[9] as string).replace('locked.', 'lokced.'));
  const text = `${altered.join('\n')}\n`;
  const whole = textOf('drain-expired.ndjson');
  const session = verified([text, whole]);
  assert.deepEqual(said(session), replayed('0.ndjson', text));
  const of = (file: number) => session.history.items.filter(({ row }) => row.file === file);
  assert.deepEqual([of(0).length, of(1).length], [9 + 1, whole.trimEnd().split('\n').length]);
  session.append(historyOf('0.ndjson', text).rows.slice(-3));
  assert.equal(of(0).length, 9 + 1);
});

test('where a file of several nodes is refused, the records of all end', () => {
  const log = (names: string[]) =>
    names
      .map(textOf)
      .flatMap((text, at) =>
        text
          .trimEnd()
          .split('\n')
          .map((line, index) => ({ at, index, line })),
      )
      .sort((one, other) => one.index - other.index)
      .map(({ at, line }) => JSON.stringify({ node: `node-${at}`, record: JSON.parse(line) }));
  const lines = log(['once.ndjson', 'drain-expired.ndjson']);
  for (const broken of [[40], [41], [40, 21], [21, 40]]) {
    const altered = lines.map((line, at) =>
      broken.includes(at) ? line.replace(/"state":"[^"]*"/, '"state":"acquiring.get"') : line,
    );
    const text = `${altered.join('\n')}\n`;
    const [message = ''] = replayed('0.ndjson', text);
    const session = verified([text]);
    const [found = ''] = said(session);
    assert.equal(said(session).length, 1);
    assert.equal(found.replace(/ \(node-\d\)/, ''), message);
    assert.equal(session.history.items.length, Math.min(...broken) + 1);
  }
});

test('what is selected stays so where a file ends behind it, else its end is', () => {
  const lines = textOf('once.ndjson').trimEnd().split('\n');
  const text = `${lines.toSpliced(9, 1, (lines[9] as string).replace('locked.', 'lokced.')).join('\n')}\n`;
  for (const [selected, expected] of [
    [4, 4],
    [20, 9],
  ] as const) {
    const session = sessionOf(historyOf('0.ndjson', text).rows);
    session.follow(false);
    session.select(selected);
    session.verifier.work(() => false);
    assert.equal(session.endBroken(), true);
    assert.equal(session.selected, expected);
  }
});
