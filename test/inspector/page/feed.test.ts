import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Feed } from '../../../src/inspector/page/feed.ts';
import type { Row } from '../../../src/inspector/rows.ts';

type Listener = (event: MessageEvent<string>) => void;

/** A stream that does what the test tells it. */
class FakeStream {
  readonly url: string;
  isClosed = false;
  readonly #listeners = new Map<string, Listener>();

  constructor(url: string) {
    this.url = url;
  }

  addEventListener(type: string, listener: unknown): void {
    this.#listeners.set(type, listener as Listener);
  }

  close(): void {
    this.isClosed = true;
  }

  emit(type: string, last = 0, data: unknown = []): void {
    const event = { data: JSON.stringify(data), lastEventId: `${last}` };
    this.#listeners.get(type)?.(event as MessageEvent<string>);
  }
}

const notes = (from: number, to: number): Row[] =>
  Array.from({ length: to - from + 1 }, (_, at) => ({
    kind: 'note',
    node: 'a',
    atMs: 0,
    text: `${from + at}`,
  }));

function start() {
  const streams: FakeStream[] = [];
  const taken: string[] = [];
  const told: string[] = [];
  const delays: number[] = [];
  let later = () => {};
  const feed = new Feed(
    'token',
    {
      rows: (rows) => taken.push(...rows.map((row) => (row.kind === 'note' ? row.text : ''))),
      opened: () => told.push('opened'),
      lost: () => told.push('lost'),
      ended: () => told.push('ended'),
      restarted: () => told.push('restarted'),
      progress: (text) => told.push(text),
      paced: ({ state }) => told.push(state),
    },
    (url) => {
      const stream = new FakeStream(url);
      streams.push(stream);
      return stream;
    },
    (action, delayMs) => {
      delays.push(delayMs);
      later = action;
    },
  );
  feed.start();
  const last = () => streams.at(-1) as FakeStream;
  return { feed, streams, taken, told, delays, last, retry: () => later() };
}

test('a new connection goes on behind the last row taken', () => {
  const { last, taken, told, retry, streams } = start();
  assert.equal(last().url, '/events?after=0&source=token');
  last().emit('open');
  last().emit('rows', 3, notes(1, 3));
  last().emit('error');
  assert.equal(streams[0]?.isClosed, true);
  retry();
  assert.equal(last().url, '/events?after=3&source=token');
  last().emit('open');
  last().emit('rows', 5, notes(4, 5));
  assert.deepEqual(taken, ['1', '2', '3', '4', '5']);
  assert.deepEqual(told, ['opened', 'lost', 'opened']);
});

test('who has been stopped while the connection was lost does not come back by itself', () => {
  const { feed, last, retry, streams } = start();
  last().emit('error');
  feed.stop();
  retry();
  assert.equal(streams.length, 1);
  feed.restart('other');
  assert.equal(last().url, '/events?after=0&source=other');
  retry();
  assert.equal(streams.length, 2);
});

test('rows that are sent again are taken once', () => {
  const { last, taken } = start();
  last().emit('rows', 3, notes(1, 3));
  last().emit('rows', 3, notes(2, 3));
  last().emit('rows', 5, notes(2, 5));
  assert.deepEqual(taken, ['1', '2', '3', '4', '5']);
});

test('a gap is not taken: it is asked for again', () => {
  const { last, taken, told, retry } = start();
  last().emit('rows', 2, notes(1, 2));
  last().emit('rows', 5, notes(4, 5));
  assert.deepEqual(taken, ['1', '2']);
  assert.deepEqual(told, ['lost']);
  retry();
  assert.equal(last().url, '/events?after=2&source=token');
});

test('the first rows need not be the first ones: a server forgets old ones', () => {
  const { last, taken, told } = start();
  last().emit('rows', 52, notes(51, 52));
  last().emit('rows', 53, notes(53, 53));
  assert.deepEqual(taken, ['51', '52', '53']);
  assert.deepEqual(told, []);
});

test('a replaced stream is not listened to any more', () => {
  const { streams, last, taken, retry } = start();
  last().emit('error');
  retry();
  streams[0]?.emit('rows', 1, notes(1, 1));
  assert.deepEqual(taken, []);
});

test('waits grow up to a limit and begin anew once it is open', () => {
  const { last, delays, retry } = start();
  for (let time = 0; time < 5; time += 1) {
    last().emit('error');
    retry();
  }
  last().emit('open');
  last().emit('error');
  assert.deepEqual(delays, [500, 1_000, 2_000, 4_000, 5_000, 500]);
});

test('an ended stream is closed and not opened again; another process begins at its first row', () => {
  const { feed, last, told, streams } = start();
  last().emit('rows', 2, notes(1, 2));
  last().emit('restarted');
  assert.deepEqual(told, ['restarted']);
  feed.restart('other');
  assert.equal(last().url, '/events?after=0&source=other');
  last().emit('end');
  assert.equal(last().isClosed, true);
  assert.deepEqual(told, ['restarted', 'ended']);
  assert.equal(streams.length, 2);
});

test('who has no lasting stream takes what there is, and looks again a second later', () => {
  const { last, taken, told, delays, retry, streams } = start();
  last().emit('open');
  last().emit('rows', 2, notes(1, 2));
  last().emit('later');
  assert.equal(last().isClosed, true);
  retry();
  assert.equal(last().url, '/events?after=2&source=token');
  last().emit('rows', 3, notes(3, 3));
  assert.deepEqual([streams.length, taken, delays], [2, ['1', '2', '3'], [1_000]]);
  // It is no lost connection.
  assert.deepEqual(told, ['opened']);
});

test('how far it is read and how a rehearsal goes on come beside the rows', () => {
  const { last, told } = start();
  last().emit('progress', 0, { text: '5 of 10 lines read' });
  last().emit('pace', 0, { state: 'paused', speed: 1 });
  assert.deepEqual(told, ['5 of 10 lines read', 'paused']);
});
