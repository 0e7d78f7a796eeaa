import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLayout } from '../../../src/diagram/layout.ts';
import { machineModel } from '../../../src/diagram/model.ts';
import { Session } from '../../../src/inspector/page/session.ts';
import type { Row } from '../../../src/inspector/rows.ts';
import { rowsOf } from './rows.ts';

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
