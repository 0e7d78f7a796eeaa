import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFeed, type Feed } from '../../src/inspector/feed.ts';
import { historyOf } from '../../src/inspector/history.ts';
import type { Row } from '../../src/inspector/rows.ts';
import { recorded } from '../rehearsal/recorded.ts';
import { foldRows } from './fold-rows.ts';
import { readEvents } from './reader.ts';
import { fill, note, serving } from './serving.ts';

function rowsOf(feed: Feed): Row[] {
  const rows: Row[] = [];
  for (let after = feed.firstId() - 1; ; ) {
    const batch = feed.batch(after);
    if (batch === null) return rows;
    rows.push(...(JSON.parse(batch.json) as Row[]));
    after = batch.lastId;
  }
}

/** `count` runs of one node. */
async function runs(count: number): Promise<Row[]> {
  const { records } = await recorded({ nodes: 1 });
  return Array.from({ length: count }, (_, at) =>
    records.map(
      ({ node, record }): Row => ({
        kind: 'record',
        source: node,
        node,
        record: { ...record, run: `run-${at}`, seq: at * records.length + record.seq },
      }),
    ),
  ).flat();
}

const isBeginning = (row: Row | undefined) => row?.kind === 'record' && 'input' in row.record;

test('it keeps what it is given, in order, as often as it is read', () => {
  const feed = createFeed();
  assert.equal(feed.batch(0), null);
  fill(feed, 1, 1_300);
  assert.deepEqual([feed.firstId(), feed.lastId()], [1, 1_300]);
  assert.equal(rowsOf(feed).length, 1_300);
  assert.deepEqual(rowsOf(feed)[1_299], note(1_300));
  assert.equal(feed.batch(1_300), null);
});

test('of a long life the newest runs are kept, from a beginning on', async () => {
  const rows = await runs(100);
  const feed = createFeed(200);
  for (const [at, row] of rows.entries()) {
    feed.append(row);
    assert.equal(feed.lastId(), at + 1);
    assert.ok(feed.lastId() - feed.firstId() < 200);
    assert.ok(feed.firstId() === 1 || feed.lastId() - feed.firstId() > 150);
  }
  const kept = rowsOf(feed);
  assert.ok(isBeginning(kept[0]));
  assert.deepEqual(kept, rows.slice(feed.firstId() - 1));
  const { folded, said } = foldRows(kept);
  assert.deepEqual(folded, said);
});

test('of a run that is longer than what is kept the rest folds on from where it was', () => {
  const { rows } = historyOf('a', LONG);
  const feed = createFeed(100);
  for (const [at, row] of rows.entries()) {
    feed.append(row);
    // Not a divisor of what is dropped at once, so that every state of it is seen.
    if (at % 7 !== 0) continue;
    const kept = rowsOf(feed);
    assert.ok(kept.length <= 100);
    const { folded, said } = foldRows(kept);
    assert.deepEqual(folded, said);
  }
  assert.ok(feed.firstId() > 900 && rowsOf(feed).length > 85);
});

test('a run that begins behind a long one does not drive it all out', () => {
  const { rows } = historyOf('a', LONG);
  const feed = createFeed(100);
  for (const row of [...rows, ...rows.slice(0, 15)]) feed.append(row);
  const kept = rowsOf(feed);
  assert.ok(kept.length > 85, `${kept.length} rows are left`);
  const { folded, said } = foldRows(kept);
  assert.deepEqual(folded, said);
});

/** One run with a thousand lines of output. */
const LONG = [
  '2026/01/06 03:00:00 Skip kube locking',
  '2026/01/06 03:00:00 Running host upgrades...',
  ...Array.from({ length: 1_000 }, (_, at) => `2026/01/06 03:00:01 host: line ${at}`),
  '',
].join('\n');

test('a reader whose rows are gone is told, and gets what is left', async () => {
  const rows = await runs(30);
  await serving({ feed: createFeed(200) }, async ({ url }, feed) => {
    for (const row of rows) feed.append(row);
    const first = feed.firstId();
    assert.ok(first > 3);
    feed.end();
    const types = async (after: number) => {
      const reader = await readEvents(`${url}events?after=${after}`);
      await reader.until(reader.isClosed);
      assert.deepEqual(reader.rows, rowsOf(feed).slice(Math.max(0, after - first + 1)));
      return reader.events.map(({ type }) => type);
    };
    assert.deepEqual(await types(first - 2), ['restarted', 'rows', 'end']);
    assert.deepEqual(await types(first - 1), ['rows', 'end']);
    assert.deepEqual(await types(first + 5), ['rows', 'end']);
    // Whoever has nothing yet has nothing to throw away.
    assert.deepEqual(await types(0), ['rows', 'end']);
  });
});
