import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent, RunInput } from '../../machines/events.ts';
import type { Fact } from './facts.ts';
import type { HostChange } from './host.ts';
import { createJudge, type Judge } from './judge.ts';

type Step = (judge: Judge, revision: number, atMs: number) => void;
/** Distributes over the union, so that each kind keeps its own fields. */
type Placed<T> = T extends unknown ? Omit<T, 'revision' | 'atMs'> : never;

const fact =
  (what: Placed<Fact>): Step =>
  (judge, revision, atMs) =>
    judge.fact({ ...what, revision, atMs } as Fact);
const lock = (holder: string) => fact({ kind: 'lock', holder });
const cordon = (node: string, isCordoned = true, isMarked = isCordoned) =>
  fact({ kind: 'node', node, isCordoned, isMarked });
const host = (node: string, change: HostChange) => fact({ kind: 'host', node, change });
const intends = (node: string, does: 'cordon' | 'uncordon') =>
  fact({ kind: 'administrator', node, does });
const evicted = (node: string) => {
  const pod = { pod: 'shop-1', uid: '1', node, isReady: true, isLeaving: true, isGone: false };
  return fact({ kind: 'pod', ...pod });
};
const begins =
  (node: string, deadlineMs: number | null = null, run = 'one'): Step =>
  (judge, revision, atMs) => {
    judge.back(node, atMs);
    const input = { node } as RunInput;
    const state = 'acquiring.get';
    judge.record(node, { seq: revision, atMs, run, state, input, deadlineMs, version: '1' });
  };
const goes =
  (node: string, event: RunEvent, state: string): Step =>
  (judge, revision, atMs) =>
    judge.record(node, { seq: revision, atMs, run: 'one', state, event });
const acquired = (node: string, resourceVersion: number, value = node) =>
  goes(
    node,
    { type: 'lock.updated', lock: { value, resourceVersion: String(resourceVersion) } },
    'locked.upgrading',
  );
const look: Step = (judge, _, atMs) => judge.look(atMs);
const rest: Step = (judge, _, atMs) => judge.rest(atMs);

/** What is wrong with a history whose steps are `stepMs` apart, at revisions 1, 2, 3 … */
function found(steps: Step[], stepMs = 100): string[] {
  const judge = createJudge(['a', 'b']);
  for (const [index, step] of steps.entries()) step(judge, index + 1, index * stepMs);
  return judge.violations.map(({ invariant, text }) => `${invariant}: ${text}`);
}

test('one node after the other is as it should be', () => {
  const turn = (node: string, revision: number) => [
    begins(node),
    lock(node),
    acquired(node, revision),
    host(node, 'upgrade begins'),
    host(node, 'upgrade ends'),
    cordon(node),
    evicted(node),
    host(node, 'goes down'),
    host(node, 'is up'),
    cordon(node, false),
    lock(''),
    goes(node, { type: 'lock.updated', lock: { value: '', resourceVersion: '9' } }, 'done'),
  ];
  assert.deepEqual(found([...turn('a', 2), ...turn('b', 14), look, rest]), []);
});

const WRONG: [string, Step[], string[], number?][] = [
  ['a lock that is taken over', [lock('a'), lock('b')], ['1: the lock went from a to b']],
  [
    'a cordon without the lock',
    [lock('b'), cordon('a')],
    ['1: a is cordoned while b holds the lock'],
  ],
  [
    'an upgrade without the lock',
    [host('a', 'upgrade begins')],
    ['1: a upgrades while nobody holds the lock'],
  ],
  [
    'a reboot without the lock',
    [host('a', 'goes down')],
    ['1: a reboots while nobody holds the lock'],
  ],
  [
    'two nodes disturbed at once',
    [lock('a'), cordon('a'), lock(''), lock('b'), host('b', 'upgrade begins')],
    [
      '5: a let go of the lock and is cordoned',
      '1: nodes are disturbed at once: a (cordoned) and b (upgrading)',
    ],
  ],
  [
    'a lock let go of in the middle of an upgrade',
    [lock('a'), host('a', 'upgrade begins'), lock('')],
    ['1: a let go of the lock and is upgrading'],
  ],
  [
    'an eviction of a node that never had the lock',
    [lock('b'), evicted('a')],
    ['1: shop-1 is evicted from a while b holds the lock'],
  ],
  [
    'the end of a watch taken for the lock',
    [begins('a'), goes('a', { type: 'lock.watch.ended', message: 'timeout' }, 'locked.upgrading')],
    ['2: a takes the lock for acquired by lock.watch.ended'],
  ],
  [
    'a lock that another node had at that revision',
    [begins('a'), lock('b'), acquired('a', 2)],
    ['2: a has the lock by revision 2, which says b'],
  ],
  [
    'a lock at a revision that never came',
    [begins('a'), acquired('a', 99), rest],
    ['2: a has the lock by revision 99, which never was'],
  ],
  [
    'a run that waits behind its deadline',
    [begins('a', 1_000), look, goes('a', { type: 'spread.elapsed' }, 'acquiring.get')],
    ['3: a waits for the lock 19.0 s behind its deadline (acquiring.get)'],
    10_000,
  ],
  [
    'a lock that is held by nobody’s run',
    [begins('a'), goes('a', { type: 'stop.requested' }, 'stopped'), lock('a'), look],
    ['4: a has the lock and no run (stopped)'],
    200_000,
  ],
  [
    'a run that is forgotten',
    [begins('a'), goes('a', { type: 'spread.elapsed' }, 'acquiring.get'), begins('a', null, 'two')],
    ['4: a begins a run and has forgotten one (acquiring.get)'],
  ],
  [
    'somebody else’s cordon ended',
    [intends('a', 'cordon'), cordon('a', true, false), cordon('a', false)],
    ['5: a is uncordoned, and was cordoned by somebody else'],
  ],
  [
    'something left behind at the end',
    [lock('a'), cordon('a'), rest],
    ['4: all is at rest, and a has the lock', '5: all is at rest, and a is cordoned'],
  ],
];

for (const [name, steps, expected, stepMs] of WRONG) {
  test(`broken: ${name}`, () => assert.deepEqual(found(steps, stepMs), expected));
}

test('an administrator’s cordon is nobody else’s matter', () => {
  const steps = [intends('a', 'cordon'), cordon('a', true, false), lock('b'), cordon('b')];
  const ended = [cordon('b', false), lock(''), intends('a', 'uncordon'), cordon('a', false), rest];
  assert.deepEqual(found([...steps, ...ended]), []);
});

test('an eviction may come late, and a host may lose its power at any time', () => {
  assert.deepEqual(found([lock('a'), lock(''), lock('b'), evicted('a')]), []);
  assert.deepEqual(found([lock('b'), host('a', 'loses power'), host('a', 'is up')]), []);
});

test('whoever was stopped or killed is not late', () => {
  const away: Step = (judge) => judge.away('a');
  assert.deepEqual(found([begins('a', 1_000), away, look, look], 20_000), []);
});
