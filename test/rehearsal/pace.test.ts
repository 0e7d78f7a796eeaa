import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPace, type Pace } from '../../src/rehearsal/pace.ts';

const NEVER = new AbortController().signal;
/** Far beyond what any test waits for. */
const YEAR_MS = 365 * 86_400_000;

/** Whether `reach` is over after the turns of the event loop that it could take at once. */
function watched(pace: Pace, virtualMs: number, signal = NEVER) {
  const seen: { value: boolean | null } = { value: null };
  const done = pace.reach(virtualMs, signal).then((value) => {
    seen.value = value;
  });
  return { seen, done };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('as fast as possible nothing is waited for', async () => {
  const pace = createPace(0, 0);
  assert.equal(await pace.reach(YEAR_MS, NEVER), true);
  assert.equal(pace.isPaused(), false);
});

test('paused nothing is reached, however fast; play goes on', async () => {
  const pace = createPace(0, 0);
  pace.pause();
  assert.equal(pace.isPaused(), true);
  const { seen, done } = watched(pace, 1);
  await turns();
  assert.equal(seen.value, null);
  pace.play();
  await done;
  assert.equal(seen.value, true);
});

test('a wait that has begun is held up by a pause, and cut short by a step', async () => {
  const pace = createPace(0, 1);
  const { seen, done } = watched(pace, YEAR_MS);
  pace.pause();
  await turns();
  assert.equal(seen.value, null);
  pace.step();
  await done;
  assert.equal(seen.value, true);
});

test('a step goes through timers until a record comes, and rests there', async () => {
  const pace = createPace(0, 1);
  pace.pause();
  pace.step();
  assert.equal(pace.isPaused(), true);
  assert.equal(await pace.reach(YEAR_MS, NEVER), true);
  assert.equal(await pace.reach(2 * YEAR_MS, NEVER), true);
  pace.recorded();
  const { seen, done } = watched(pace, 2 * YEAR_MS + 1);
  await turns();
  assert.equal(seen.value, null);
  // Time goes on from where the step has led, not from where it was left.
  pace.play();
  await done;
  assert.equal(seen.value, true);
});

test('a record ends no play', async () => {
  const pace = createPace(0, 0);
  pace.recorded();
  assert.equal(await pace.reach(1, NEVER), true);
});

test('a signal ends every wait', async () => {
  const stop = new AbortController();
  const pace = createPace(0, 1);
  const playing = watched(pace, YEAR_MS, stop.signal);
  const paused = createPace(0, 1);
  paused.pause();
  const resting = watched(paused, 1, stop.signal);
  stop.abort();
  await Promise.all([playing.done, resting.done]);
  assert.deepEqual([playing.seen.value, resting.seen.value], [false, false]);
});
