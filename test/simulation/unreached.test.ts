import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PAIRS, surprises } from './coverage-text.ts';
import { TRANSITIONS } from './transitions.ts';
import { UNREACHED_TRANSITIONS, whyNever } from './unreached.ts';

const pairs = PAIRS.filter(({ fault, state }) => whyNever(fault, state) === null).map(
  ({ fault, state }) => `${fault}, ${state}`,
);
const transitions = TRANSITIONS.filter((name) => !(name in UNREACHED_TRANSITIONS));
const of = (names: readonly string[], hit: readonly string[]) =>
  surprises({ transitions: new Set(names), faults: new Set(hit) });

test('all but what is listed: nothing to say', () => {
  assert.deepEqual(of(transitions, pairs), []);
});

test('what is not reached any more is told', () => {
  assert.deepEqual(of(transitions.slice(1), pairs.slice(1)), [
    `not reached, and not in unreached.ts: ${transitions[0]}`,
    `not reached, and not in unreached.ts: ${pairs[0]}`,
  ]);
});

test('what is listed and reached is told', () => {
  const name = Object.keys(UNREACHED_TRANSITIONS)[0] ?? '';
  const pair = 'crash-after-effect, releasing.get';
  assert.deepEqual(of([...transitions, name], [...pairs, pair]), [
    `reached, and in unreached.ts: ${name}`,
    `reached, and in unreached.ts: ${pair}`,
  ]);
});
