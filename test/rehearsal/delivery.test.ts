import assert from 'node:assert/strict';
import { ReadableStream, type ReadableStreamDefaultController } from 'node:stream/web';
import { test } from 'node:test';
import { createClock } from '../../src/rehearsal/clock.ts';
import { createDelivery } from '../../src/rehearsal/delivery.ts';

const NEVER = new AbortController().signal;

/** A delivery of which the test is the server, the wire and the reader. */
function start(delays: number[] = []) {
  const clock = createClock(0, 0);
  const delivery = createDelivery(clock, () => delays.shift() ?? 3);
  let wire: ReadableStreamDefaultController | null = null;
  const body = new ReadableStream({
    start: (controller) => {
      wire = controller;
    },
  });
  const abort = new AbortController();
  const seen: string[] = [];
  const reader = delivery.receive(body, abort.signal).getReader();
  const read = async () => {
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return seen.push(`${clock.nowMs()} end`);
        seen.push(`${clock.nowMs()} ${Buffer.from(value).toString().trimEnd()}`);
      }
    } catch (error) {
      return seen.push(`${clock.nowMs()} ${(error as Error).message}`);
    }
  };
  void read();
  const arrives = (text: string) => wire?.enqueue(Buffer.from(text));
  /** Until `afterMs` of virtual time. */
  const passes = (afterMs: number) => {
    let isOver = false;
    clock.setTimeout(() => {
      isOver = true;
    }, afterMs);
    return clock.run(() => isOver, NEVER);
  };
  return { clock, delivery, seen, abort, arrives, passes, reader, wire: () => wire };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('time stands still until what is sent has arrived, and then it takes its delay', async () => {
  const { clock, delivery, seen, arrives, passes } = start([7]);
  delivery.sending();
  const passing = passes(20);
  for (let turns = 0; turns < 5; turns += 1) await turn();
  assert.equal(clock.nowMs(), 0);
  arrives('one\n');
  await passing;
  assert.deepEqual(seen, ['7 one']);
});

test('rows come one by one and in order, however the wire cuts them', async () => {
  const { delivery, seen, arrives, passes } = start([5, 1, 9]);
  for (let row = 0; row < 3; row += 1) delivery.sending();
  arrives('on');
  arrives('e\ntwo\nthr');
  arrives('ee\n');
  await passes(20);
  assert.deepEqual(seen, ['5 one', '5 two', '9 three']);
});

test('the end that was announced comes after the rows', async () => {
  const { delivery, seen, arrives, passes, wire } = start();
  delivery.sending();
  delivery.sending();
  arrives('one\n');
  wire()?.close();
  await passes(10);
  assert.deepEqual(seen, ['3 one', '3 end']);
});

test('a cut is an error for the reader', async () => {
  const { delivery, seen, passes, wire } = start();
  delivery.sending();
  wire()?.error(new Error('other side closed'));
  await passes(10);
  assert.deepEqual(seen, ['3 other side closed']);
});

test('what breaks unannounced is told at once', async () => {
  const { seen, passes, wire } = start();
  wire()?.error(new Error('gone'));
  await passes(10);
  assert.deepEqual(seen, ['0 gone']);
});

test('an abort is told at once, and what was under way is waited for no longer', async () => {
  const { delivery, seen, abort, passes } = start();
  delivery.sending();
  abort.abort(new Error('enough'));
  delivery.sending();
  await passes(10);
  assert.deepEqual(seen, ['0 enough']);
});

test('a reader that has had enough holds up nothing', async () => {
  const { clock, delivery, passes, reader } = start();
  delivery.sending();
  await reader.cancel();
  delivery.sending();
  await passes(10);
  assert.equal(clock.nowMs(), 10);
});

test('frozen, rows and the end arrive and are swallowed', async () => {
  const { delivery, seen, arrives, passes, wire } = start();
  delivery.freeze();
  delivery.sending();
  delivery.sending();
  arrives('one\n');
  wire()?.close();
  await passes(10);
  assert.deepEqual(seen, []);
});
