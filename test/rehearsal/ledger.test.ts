import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Entry, judge } from '../../src/rehearsal/ledger.ts';

const lock = (atMs: number, holder: string): Entry => ({ type: 'lock', atMs, holder });
const upgrade = (atMs: number, change: 'started' | 'ended', node: string): Entry => ({
  type: `upgrade.${change}`,
  atMs,
  node,
});

test('holds, hand-offs, and nothing to complain about', () => {
  const { holds, handOffsMs, violations } = judge([
    lock(10, 'a'),
    upgrade(11, 'started', 'a'),
    // An unrelated change of the object.
    lock(15, 'a'),
    upgrade(20, 'ended', 'a'),
    lock(30, ''),
    lock(35, ''),
    lock(42, 'b'),
    lock(50, ''),
  ]);
  assert.deepEqual(holds, [
    { node: 'a', fromMs: 10, untilMs: 30 },
    { node: 'b', fromMs: 42, untilMs: 50 },
  ]);
  assert.deepEqual(handOffsMs, [12]);
  assert.deepEqual(violations, []);
});

const VIOLATIONS: [string, Entry[], string[]][] = [
  [
    'two holders',
    [lock(10, 'a'), lock(20, 'b'), lock(30, '')],
    ['00:00:00.020 b took the lock that a held'],
  ],
  [
    'an upgrade without the lock',
    [upgrade(5, 'started', 'a'), upgrade(6, 'ended', 'a')],
    ['00:00:00.005 a upgrades while nobody holds the lock'],
  ],
  [
    'an upgrade under another’s lock',
    [lock(1, 'b'), upgrade(5, 'started', 'a'), upgrade(6, 'ended', 'a'), lock(9, '')],
    ['00:00:00.005 a upgrades while b holds the lock'],
  ],
  [
    'a lock that is gone before the upgrade is over',
    [lock(1, 'a'), upgrade(2, 'started', 'a'), lock(3, ''), upgrade(4, 'ended', 'a')],
    ['00:00:00.003 a lost the lock during its upgrade'],
  ],
  ['a lock left behind', [lock(1, 'a')], ['the lock is still held by a at the end']],
];
for (const [name, entries, expected] of VIOLATIONS) {
  test(`${name} is found`, () => assert.deepEqual(judge(entries).violations, expected));
}
