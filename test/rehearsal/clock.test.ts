import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClock } from '../../src/rehearsal/clock.ts';

const NEVER = new AbortController().signal;

test('timers fire in the order of their times, then of their setting, at whole ms', async () => {
  const clock = createClock(1_000, 0);
  const fired: [string, number][] = [];
  const set = (name: string, delayMs: number) =>
    clock.setTimeout(() => fired.push([name, clock.nowMs()]), delayMs);
  set('c', 20);
  set('a', 9.2);
  set('b', 10);
  const cancelled = set('never', 15);
  set('d', 20);
  clock.clearTimeout(cancelled);
  await clock.run(() => fired.length === 4, NEVER);
  assert.deepEqual(fired, [
    ['a', 1_010],
    ['b', 1_010],
    ['c', 1_020],
    ['d', 1_020],
  ]);
});

test('time stands still while real work is under way, and what follows comes first', async () => {
  const clock = createClock(0, 0);
  const seen: string[] = [];
  clock.setTimeout(async () => {
    await clock.during(new Promise((resolve) => setImmediate(() => setImmediate(resolve))));
    clock.setTimeout(() => seen.push(`follows at ${clock.nowMs()}`), 1);
  }, 5);
  clock.setTimeout(() => seen.push(`later at ${clock.nowMs()}`), 7);
  await clock.run(() => seen.length === 2, NEVER);
  assert.deepEqual(seen, ['follows at 6', 'later at 7']);
});

test('a hold that is released twice counts once', async () => {
  const clock = createClock(0, 0);
  const release = clock.hold();
  const other = clock.hold();
  release();
  release();
  let isOver = false;
  clock.setTimeout(() => {
    isOver = true;
  }, 1);
  const run = clock.run(() => isOver, NEVER);
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(clock.nowMs(), 0);
  other();
  await run;
  assert.equal(clock.nowMs(), 1);
});

test('an abort ends the wait for a timer, and for work that never ends', async () => {
  for (const isStuck of [false, true]) {
    const clock = createClock(0, 1);
    const controller = new AbortController();
    if (isStuck) clock.hold();
    clock.setTimeout(() => {}, 3_600_000);
    setImmediate(() => setImmediate(() => controller.abort()));
    await clock.run(() => false, controller.signal);
    assert.equal(clock.nowMs(), 0);
  }
});

test('what fails in the background fails the run', async () => {
  const clock = createClock(0, 0);
  clock.setTimeout(() => clock.background(Promise.reject(new Error('no port'))), 1);
  clock.setTimeout(() => assert.fail('time went on'), 2);
  await assert.rejects(
    clock.run(() => false, NEVER),
    /no port/,
  );
});

test('when nothing is left to come, that is an error and no endless wait', async () => {
  await assert.rejects(
    createClock(0, 0).run(() => false, NEVER),
    /nothing is left to come/,
  );
});
