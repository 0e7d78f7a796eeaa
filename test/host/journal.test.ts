import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseJournal, readUnitJournal } from '../../src/host/journal.ts';

describe('the journal’s JSON export', () => {
  test('plain messages, a line each', () => {
    assert.equal(parseJournal('{"MESSAGE":"one"}\n{"MESSAGE":"two"}\n'), 'one\ntwo\n');
  });

  test('control bytes make a message an array of numbers', () => {
    const installing = '{"MESSAGE":[73,110,115,116,97,108,108,105,110,103,13]}\n';
    assert.equal(parseJournal(installing), 'Installing\n');
    const bytes = [...Buffer.from('5%\r100% größer')];
    assert.equal(parseJournal(`{"MESSAGE":[${bytes}]}\n`), '100% größer\n');
  });

  test('one too long for the export is said to be missing', () => {
    const rows = '{"MESSAGE":null}\n{}\n{"MESSAGE":"next"}\n';
    const missing = '(a message too long to be read)\n';
    assert.equal(parseJournal(rows), `${missing}${missing}next\n`);
  });

  test('a long line in pieces is one line', () => {
    const rows = `{"MESSAGE":"*** System restart req","_LINE_BREAK":"line-max"}
{"MESSAGE":"uired ***"}
`;
    assert.equal(parseJournal(rows), '*** System restart required ***\n');
  });

  test('suppressed messages are a gap', () => {
    const rows = '{"MESSAGE":"Suppressed 812 messages from host-upgrades.service"}\n';
    assert.equal(parseJournal(rows), '(812 messages were suppressed here)\n');
  });

  test('a last row without its newline, and one that was cut', () => {
    assert.equal(parseJournal('{"MESSAGE":"whole"}'), 'whole\n');
    assert.equal(parseJournal('{"MESSAGE":"cu'), '(a row of the journal cut short)\n');
  });

  test('a field that an entry has twice', () => {
    assert.equal(parseJournal('{"MESSAGE":["one","two"]}\n'), 'one two\n');
  });
});

test('a journal that cannot be read says so instead of its lines', async () => {
  const text = await readUnitJournal(['/nowhere', '/no/where'], {
    unit: 'u.service',
    invocationId: '0'.repeat(32),
    startedUs: 0n,
  });
  assert.match(text, /^\(journal.*\)$/);
});
