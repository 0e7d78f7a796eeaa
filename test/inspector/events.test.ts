import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { WAITING_MAX } from '../../src/inspector/events.ts';
import type { Feed } from '../../src/inspector/feed.ts';
import type { Row } from '../../src/inspector/rows.ts';
import { poll } from '../cluster/cluster.ts';
import { ask } from './ask.ts';
import { readEvents } from './reader.ts';
import { fill, serving } from './serving.ts';

const numbers = (rows: Row[]) => rows.map((row) => (row.kind === 'note' ? row.atMs : null));
const upTo = (to: number, from = 1) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

test('what is there comes in batches of up to 500, then what comes, then the end', () =>
  serving({}, async ({ url }, feed) => {
    fill(feed, 1, 1_200);
    const reader = await readEvents(`${url}events`);
    assert.equal(reader.headers['content-type'], 'text/event-stream; charset=utf-8');
    await reader.until(() => reader.rows.length === 1_200);
    fill(feed, 1_201, 1_203);
    await reader.until(() => reader.rows.length === 1_203);
    feed.append({ kind: 'note', node: 'node-1', atMs: 1_204, text: 'two\n\nlines' });
    feed.end();
    await reader.until(reader.isClosed);
    assert.deepEqual(numbers(reader.rows), upTo(1_204));
    assert.deepEqual(
      reader.events.map(({ type, id }) => `${type} ${id}`),
      ['rows 500', 'rows 1000', 'rows 1200', 'rows 1203', 'rows 1204', 'end '],
    );
    assert.equal(reader.events.at(-1)?.data, '{}');
  }));

test('rows that are long come in smaller batches', () =>
  serving({}, async ({ url }, feed) => {
    fill(feed, 1, 20, 100_000);
    feed.end();
    const reader = await readEvents(`${url}events`);
    await reader.until(reader.isClosed);
    assert.deepEqual(numbers(reader.rows), upTo(20));
    assert.equal(reader.events.filter(({ type }) => type === 'rows').length, 7);
  }));

test('a reader that comes back goes on behind its last row: no gap, nothing twice', () =>
  serving({}, async ({ url }, feed) => {
    fill(feed, 1, 700);
    const seen: Row[] = [];
    let lastId = 0;
    for (let round = 0; round < 5; round += 1) {
      const headers = lastId === 0 ? {} : { 'last-event-id': String(lastId) };
      // The address of a browser's stream stays what it was; the header is newer.
      const reader = await readEvents(`${url}events?after=0`, headers);
      await reader.until(() => reader.rows.length > 0);
      fill(feed, feed.lastId() + 1, feed.lastId() + 37);
      reader.close();
      seen.push(...reader.rows);
      lastId = reader.lastId();
    }
    feed.end();
    const rest = await readEvents(`${url}events?after=${lastId}`);
    await rest.until(rest.isClosed);
    assert.deepEqual(numbers([...seen, ...rest.rows]), upTo(feed.lastId()));
    const none = await readEvents(`${url}events?after=${feed.lastId()}`);
    await none.until(none.isClosed);
    assert.deepEqual(
      none.events.map(({ type }) => type),
      ['end'],
    );
  }));

test('a reader of another process, or ahead of this one, takes all again', () =>
  serving({}, async ({ url }, feed) => {
    fill(feed, 1, 3);
    feed.end();
    const { token } = JSON.parse((await ask(`${url}source.json`)).text);
    const restarts = async (query: string) => {
      const reader = await readEvents(`${url}events?${query}`);
      await reader.until(reader.isClosed);
      return reader.events.map(({ type, id }) => `${type} ${id}`.trim());
    };
    assert.deepEqual(await restarts('after=9'), ['restarted', 'rows 3', 'end']);
    assert.deepEqual(await restarts('after=2&source=another'), ['restarted', 'rows 3', 'end']);
    assert.deepEqual(await restarts(`after=2&source=${token}`), ['rows 3', 'end']);
    assert.deepEqual(await restarts('after=2'), ['rows 3', 'end']);
    assert.equal((await ask(`${url}events?after=x`)).status, 400);
    assert.equal((await ask(`${url}events?after=-1`)).status, 400);
  }));

test('an idle reader hears that the server is there', () =>
  serving({ heartbeatMs: 5 }, async ({ url }) => {
    const reader = await readEvents(`${url}events`);
    await reader.until(() => reader.comments.length > 2);
    assert.deepEqual(reader.events, []);
    reader.close();
  }));

/** How many readers a feed has; a stalled client does not see that its connection is gone. */
function counted(feed: Feed): () => number {
  const { onChange } = feed;
  let readers = 0;
  feed.onChange = (listener) => {
    readers += 1;
    const stop = onChange(listener);
    return () => {
      readers -= 1;
      stop();
    };
  };
  return () => readers;
}

test('a reader that takes nothing is cut off, slows nobody, and goes on where it was', () =>
  serving({}, async ({ url }, feed) => {
    const readers = counted(feed);
    const slow = await readEvents(`${url}events`);
    const quick = await readEvents(`${url}events`);
    slow.stall();
    let number = 0;
    // Until the kernel's buffers are full, and then as many as may wait.
    while (readers() === 2 && number < 40_000) {
      fill(feed, number + 1, number + 100, 2_000);
      number += 100;
      await quick.until(() => quick.rows.length === number);
    }
    assert.ok(number > WAITING_MAX && number < 40_000, `cut off at ${number}`);
    slow.goOn();
    await slow.until(slow.isClosed);
    assert.ok(slow.rows.length > 0 && slow.rows.length < number - WAITING_MAX + 200);
    feed.end();
    const again = await readEvents(`${url}events`, { 'last-event-id': String(slow.lastId()) });
    await again.until(again.isClosed);
    assert.deepEqual(numbers([...slow.rows, ...again.rows]), upTo(number));
    await quick.until(quick.isClosed);
    assert.deepEqual(numbers(quick.rows), upTo(number));
  }));

test('a reader that catches up slowly is not cut off, and has no copy made for it', () =>
  serving({}, async ({ url }, feed) => {
    fill(feed, 1, 20_000, 1_000);
    const { batch } = feed;
    let taken = 0;
    feed.batch = (after) => {
      const next = batch(after);
      taken = next?.lastId ?? taken;
      return next;
    };
    const reader = await readEvents(`${url}events`);
    reader.stall();
    // The kernel takes some, until its buffers are full.
    let before = -1;
    await poll(async () => {
      const isStill = taken > 0 && taken === before;
      before = taken;
      return isStill;
    }, 60_000);
    // As many as may wait come meanwhile.
    fill(feed, 20_001, 20_000 + WAITING_MAX, 1_000);
    assert.ok(taken < 20_000, `${taken} rows were taken for it`);
    reader.goOn();
    await reader.until(() => reader.rows.length === 20_000 + WAITING_MAX);
    assert.deepEqual(numbers(reader.rows), upTo(20_000 + WAITING_MAX));
    reader.close();
  }));

test('a reader that is stuck for long is cut off though nothing comes', () =>
  serving({ heartbeatMs: 5 }, async ({ url }, feed) => {
    const readers = counted(feed);
    fill(feed, 1, 20_000, 1_000);
    const reader = await readEvents(`${url}events`);
    reader.stall();
    assert.equal(readers(), 1);
    await poll(async () => readers() === 0, 60_000);
    reader.close();
  }));

test('connections that break off, in whatever moment, end nothing but themselves', () =>
  serving({ heartbeatMs: 1 }, async ({ url }, feed) => {
    const readers = counted(feed);
    fill(feed, 1, 5_000, 1_000);
    const { port } = new URL(url);
    const head = `Host: 127.0.0.1:${port}\r\n`;
    const asked = [
      `GET /events HTTP/1.1\r\n${head}\r\n`,
      `GET /machine.json HTTP/1.1\r\n${head}\r\n`,
      `GET /events HTTP/1.1\r\n${head}`,
      'no http\r\n\r\n',
      `GET http://evil.example/ HTTP/1.1\r\n${head}\r\n`,
    ];
    for (const text of asked) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {});
      socket.write(text);
      await new Promise((resolve) => socket.write('', resolve));
      fill(feed, feed.lastId() + 1, feed.lastId() + 10);
      socket.resetAndDestroy();
    }
    fill(feed, feed.lastId() + 1, feed.lastId() + 10);
    const reader = await readEvents(`${url}events?after=5000`);
    await reader.until(() => reader.lastId() === feed.lastId());
    await poll(async () => readers() === 1, 60_000);
    reader.close();
  }));

test('how things stand is told to whoever comes, and to all when it changes; the newest counts', () =>
  serving({}, async ({ url }, feed) => {
    feed.say('pace', { state: 'playing' });
    feed.say('pace', { state: 'paused' });
    const readers = await Promise.all([readEvents(`${url}events`), readEvents(`${url}events`)]);
    const said = (at: number) => readers[at]?.events.map(({ type, data }) => `${type} ${data}`);
    const expected = ['pace {"state":"paused"}'];
    for (const [at, reader] of readers.entries()) {
      await reader.until(() => reader.events.length > 0);
      assert.deepEqual(said(at), expected);
    }
    feed.say('pace', { state: 'over' });
    fill(feed, 1, 1);
    feed.end();
    for (const [at, reader] of readers.entries()) {
      await reader.until(reader.isClosed);
      assert.deepEqual(said(at)?.[1], 'pace {"state":"over"}');
      assert.equal(reader.rows.length, 1);
    }
  }));

test('a reader that does not wait takes what there is, and is told to come again', () =>
  serving({}, async ({ url }, feed) => {
    fill(feed, 1, 700);
    const seen: Row[] = [];
    for (const to of [700, 705, 705]) {
      fill(feed, feed.lastId() + 1, to);
      const reader = await readEvents(`${url}events?after=${seen.length}&wait=no`);
      await reader.until(reader.isClosed);
      assert.equal(reader.events.at(-1)?.type, 'later');
      seen.push(...reader.rows);
    }
    assert.deepEqual(numbers(seen), upTo(705));
    feed.end();
    const last = await readEvents(`${url}events?after=705&wait=no`);
    await last.until(last.isClosed);
    assert.deepEqual(
      last.events.map(({ type }) => type),
      ['end'],
    );
  }));

test('whoever has come while a history was read takes it as slowly as it likes', () =>
  serving({}, async ({ url }, feed) => {
    const reader = await readEvents(`${url}events`);
    await reader.until(() => reader.status === 200);
    reader.stall();
    feed.appendPast(
      Array.from({ length: 20_000 }, (_, at) => ({
        kind: 'note',
        node: 'node-1',
        atMs: at + 1,
        text: 'x'.repeat(1_000),
      })),
    );
    for (let time = 0; time < 20; time += 1) {
      feed.say('progress', { text: `${time}` });
      await ask(url);
    }
    feed.end();
    reader.goOn();
    await reader.until(reader.isClosed);
    assert.deepEqual(numbers(reader.rows), upTo(20_000));
    assert.equal(reader.events.at(-1)?.type, 'end');
  }));
