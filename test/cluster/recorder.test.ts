import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf, linesOf } from './recorder.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const line = (...revisions: number[]) =>
  JSON.stringify({
    result: {
      events: revisions.map((revision) => ({
        kv: { key: base64('/key'), value: base64('value'), mod_revision: String(revision) },
      })),
    },
  });

test('each revision follows the one before; one transaction may change several keys', () => {
  const revisions = changesOf(line(5, 5, 6), 4).map(({ revision }) => revision);
  assert.deepEqual(revisions, [5, 5, 6]);
  assert.deepEqual(changesOf(line(5), 4), [{ revision: 5, key: '/key', value: 'value' }]);
});

test('a revision that is left out is a gap', () => {
  assert.throws(() => changesOf(line(6), 4), /the record has a gap: revision 6 after 4/);
  assert.throws(() => changesOf(line(5, 7), 4), /the record has a gap: revision 7 after 5/);
});

test('a chunk may end inside a line, and inside a character', async () => {
  const bytes = Buffer.from('größer\nals\nein');
  const read = async (size: number) => {
    const count = Math.ceil(bytes.length / size);
    const chunks = Array.from({ length: count }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    const lines: string[] = [];
    for await (const line of linesOf(chunks)) lines.push(line);
    return lines;
  };
  for (const size of [1, 2, 3, 4, 100]) assert.deepEqual(await read(size), ['größer', 'als']);
});

test('a watch that etcd has ended is no record', () => {
  const ended = JSON.stringify({ result: { canceled: true, compact_revision: '9' } });
  assert.throws(() => changesOf(ended, 4), /the watch has ended/);
});
