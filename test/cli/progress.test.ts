import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressOn } from '../../src/cli/progress.ts';

function said(isTTY: boolean, atMs: number[]): string {
  let [text, now] = ['', 0];
  const err = { isTTY, write: (more: string) => (text += more) };
  const tell = progressOn(err, () => now);
  for (const ms of atMs) {
    now = ms;
    tell(`${ms} read`);
  }
  return text;
}

test('long work is told to a person once a second, and not ahead of the first one', () => {
  assert.equal(said(true, [0, 500, 999]), '');
  assert.equal(
    said(true, [0, 999, 1_000, 1_500, 2_400, 3_000]),
    'host-upgrades: 1000 read\nhost-upgrades: 2400 read\n',
  );
});

test('nobody at a terminal: nothing is written', () => {
  assert.equal(said(false, [0, 5_000]), '');
});
