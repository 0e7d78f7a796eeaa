import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { replayJournal } from '../../src/trace/replay-journal.ts';

const ENDS = new Set(['done', 'failed', 'stopped']);
const folder = fileURLToPath(new URL('.', import.meta.url));
const paths = globSync('*.ndjson', { cwd: folder }).sort();

test('there are histories', () => assert.ok(paths.length > 0));

for (const path of paths) {
  const text = readFileSync(`${folder}${path}`, 'utf8');

  test(`${basename(path)} is still legal, each record leading to the state it says`, () => {
    const { divergence, records, runs } = replayJournal(text);
    assert.equal(divergence, null);
    assert.ok(runs >= 1);
    assert.ok(ENDS.has(records.at(-1)?.to ?? ''), records.at(-1)?.to);
  });

  test(`${basename(path)} is refused with any record gone, but the last`, () => {
    const rows = text.split('\n').slice(0, -1);
    for (let gone = 1; gone < rows.length - 1; gone += 1) {
      const altered = rows.filter((_, index) => index !== gone).join('\n');
      assert.equal(replayJournal(`${altered}\n`).divergence?.lineNumber, gone + 1);
    }
  });

  test(`${basename(path)} is refused with a state altered`, () => {
    const rows = text.split('\n').slice(0, -1);
    for (const [index, row] of rows.entries()) {
      const record = JSON.parse(row) as { state: string };
      const altered = rows.with(index, JSON.stringify({ ...record, state: 'acquiring.elsewhere' }));
      assert.equal(replayJournal(`${altered.join('\n')}\n`).divergence?.lineNumber, index + 1);
    }
  });
}
