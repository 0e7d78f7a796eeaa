import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeRows } from '../../src/inspector/merge.ts';
import type { Row } from '../../src/inspector/rows.ts';

const note = (node: string, atMs: number): Row => ({ kind: 'note', node, atMs, text: '' });
const broken = (node: string): Row => ({
  kind: 'divergence',
  source: node,
  node,
  line: 1,
  state: '',
  message: '',
});
const shown = (rows: Row[]) =>
  rows.map((row) => `${row.node}${row.kind === 'note' ? row.atMs : '!'}`).join(' ');
const of = (node: string, ...times: number[]) => times.map((atMs) => note(node, atMs));

test('rows of several files come by time, at the same time in the order of the files', () => {
  assert.equal(shown(mergeRows([of('a', 1, 3, 5), of('b', 1, 2, 5)])), 'a1 b1 b2 a3 a5 b5');
  assert.equal(shown(mergeRows([[], of('b', 1)])), 'b1');
  assert.equal(shown(mergeRows([])), '');
});

test('the order within a file is kept where its clock was put back', () => {
  assert.equal(shown(mergeRows([of('a', 5, 1, 6), of('b', 2, 7)])), 'b2 a5 a1 a6 b7');
});

test('a divergence stands right behind the last row of its file', () => {
  const rows = mergeRows([[...of('a', 1), broken('a')], of('b', 1, 2)]);
  assert.equal(shown(rows), 'a1 a! b1 b2');
});
