import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createFeed } from '../../src/inspector/feed.ts';
import type { Row } from '../../src/inspector/rows.ts';
import type { JournalRecord } from '../../src/journal/record.ts';
import { readEvents } from './reader.ts';
import { serving } from './serving.ts';

const ROWS = 100_000;
const KEPT = 20_000;

const records = readFileSync('test/histories/killed.ndjson', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as JournalRecord);

/** The records of a real run again and again, as an agent writes them. */
function row(at: number): Row {
  const record = { ...(records[at % records.length] as JournalRecord), seq: at + 1 };
  return { kind: 'record', source: 'node-1', node: 'node-1', record };
}

test('100,000 rows reach a reader whole and in order', (t) =>
  serving({}, async ({ url }, feed) => {
    for (let at = 0; at < ROWS; at += 1) feed.append(row(at));
    feed.end();
    const startedAtMs = performance.now();
    const reader = await readEvents(`${url}events`);
    await reader.until(reader.isClosed);
    const tookMs = performance.now() - startedAtMs;
    assert.equal(reader.rows.length, ROWS);
    for (const [at, one] of reader.rows.entries()) {
      if (one.kind !== 'record' || one.record.seq !== at + 1) assert.fail(`row ${at + 1}`);
    }
    const megabytes = reader.events.reduce((sum, { data }) => sum + data.length, 0) / 1e6;
    t.diagnostic(
      `${ROWS} rows, ${megabytes.toFixed(1)} MB, served and parsed in ${tookMs.toFixed(0)} ms`,
    );
  }));

test('a feed that lives long stays as large as what it keeps', (t) => {
  const feed = createFeed(KEPT);
  const collect = globalThis.gc ?? (() => {});
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const before = used();
  for (let at = 0; at < KEPT; at += 1) feed.append(row(at));
  const full = used();
  const startedAtMs = performance.now();
  for (let at = KEPT; at < 10 * KEPT; at += 1) {
    feed.append(row(at));
    assert.ok(feed.lastId() - feed.firstId() < KEPT);
  }
  const eachUs = ((performance.now() - startedAtMs) / (9 * KEPT)) * 1_000;
  assert.ok(feed.lastId() - feed.firstId() > KEPT - records.length - 1);
  t.diagnostic(
    `${KEPT} rows: ${(full - before).toFixed(1)} MB; after ${10 * KEPT}: ${(used() - before).toFixed(1)} MB; ${eachUs.toFixed(1)} us to append one`,
  );
});
