import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readingOf } from '../../src/inspector/history.ts';
import { mergeSteps } from '../../src/inspector/merge.ts';
import { inSlices, SLICE_MS, SLICE_STEPS_MAX, type Turns } from '../../src/inspector/slices.ts';
import { manyRows } from './page/rows.ts';

/** Counts the steps of each slice; the clock stands still but for `stepMs` a step. */
function watched<Step, Result>(work: Generator<Step, Result>, stepMs = 0) {
  let nowMs = 0;
  let made = 0;
  const slices: number[] = [];
  function* counted(): Generator<Step, Result> {
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      made += 1;
      nowMs += stepMs;
      yield step.value;
    }
  }
  const turns: Turns = {
    nowMs: () => nowMs,
    async pause() {
      slices.push(made);
      made = 0;
    },
  };
  return { counted: counted(), turns, slices, rest: () => made };
}

function* numbers(count: number): Generator<number, string> {
  for (let number = 1; number <= count; number += 1) yield number;
  return 'all';
}

test('no slice makes more steps than it may, and nothing is lost between them', async () => {
  const { counted, turns, slices, rest } = watched(numbers(2 * SLICE_STEPS_MAX + 5));
  const last: number[] = [];
  assert.equal(await inSlices(counted, turns, (step) => last.push(step)), 'all');
  assert.deepEqual([...slices, rest()], [SLICE_STEPS_MAX, SLICE_STEPS_MAX, 5]);
  assert.deepEqual(last, [SLICE_STEPS_MAX, 2 * SLICE_STEPS_MAX]);
});

test('steps that take long make a slice of fewer', async () => {
  const { counted, turns, slices } = watched(numbers(100), SLICE_MS / 4);
  await inSlices(counted, turns);
  assert.ok(slices.length > 10);
  for (const made of slices) assert.equal(made, 4);
});

test('work that nobody wants any more ends in its next pause', async () => {
  const { counted, turns } = watched(numbers(10 * SLICE_STEPS_MAX));
  const pause = () => Promise.reject(new Error('not wanted'));
  await assert.rejects(inSlices(counted, { ...turns, pause }), /^Error: not wanted$/);
  assert.equal(counted.next().value, SLICE_STEPS_MAX + 1);
});

const journal = manyRows(10_000)
  .map(({ record }) => `${JSON.stringify(record)}\n`)
  .join('');
const classic = `${Array.from({ length: 10_000 }, (_, at) => `2026/12/03 00:00:00 line ${at}`).join('\n')}\n`;

for (const [name, text] of [
  ['a journal', journal],
  ['a classic log', classic],
] as const) {
  test(`${name} of 10,000 lines is read in slices, each of at most so many lines`, async () => {
    const { counted, turns, slices } = watched(readingOf('a', text));
    const lines = [0];
    const { rows } = await inSlices(counted, turns, ({ line }) => lines.push(line));
    assert.equal(rows.length, 10_000);
    assert.ok(slices.length >= 4, `${slices.length} slices`);
    for (const [index, line] of lines.entries()) {
      assert.ok(line - (lines[index - 1] ?? 0) <= SLICE_STEPS_MAX);
    }
  });
}

test('files are merged in slices as well', async () => {
  const { rows } = await inSlices(readingOf('a', journal), watched(numbers(0)).turns);
  const { counted, turns, slices } = watched(mergeSteps([rows, rows]));
  assert.equal((await inSlices(counted, turns)).length, 20_000);
  assert.equal(slices.length, 10);
});
