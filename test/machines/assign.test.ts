import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { advance, start } from '../../machines/fold.ts';
import { INPUT } from './input.ts';

test('a step leaves a context that V8 copies fast, for all its many properties', () => {
  setFlagsFromString('--allow-natives-syntax');
  const isFast = new Function('object', 'return %HasFastProperties(object)');
  setFlagsFromString('--no-allow-natives-syntax');
  const { snapshot } = start({ ...INPUT, nodes: 3 });
  assert.equal(isFast(advance(snapshot, { type: 'spread.elapsed' })?.snapshot.context), true);
});
