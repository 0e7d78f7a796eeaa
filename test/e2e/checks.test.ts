import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import {
  belowBudget,
  cordonedWithoutLock,
  downWithoutLock,
  holders,
  takeovers,
  twoCordoned,
} from './checks.ts';
import { type Change, momentsOf } from './history.ts';

const DAEMON_SET = 'kube-system/host-upgrades';
type Step = (revision: number) => Change;

const lock =
  (value: string, name = DAEMON_SET): Step =>
  (revision) => {
    const metadata = { annotations: { [LOCK_ANNOTATION]: value } };
    return { revision, kind: 'DaemonSet', name, object: { metadata } };
  };
const cordon =
  (name: string, unschedulable = true): Step =>
  (revision) => ({ revision, kind: 'Node', name, object: { spec: { unschedulable } } as object });
const host =
  (name: string, isUp: boolean): Step =>
  (revision) => ({ revision, kind: 'Host', name, isUp });
const pod =
  (name: string, node = 'a', more: object = {}): Step =>
  (revision) => {
    const object = {
      metadata: { labels: { app: 'shop' }, ...more },
      spec: { nodeName: node },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    };
    return { revision, kind: 'Pod', name, object };
  };
const gone =
  (name: string): Step =>
  (revision) => ({ revision, kind: 'Pod', name, object: null });
const leaving = { deletionTimestamp: new Date(0) };

const moments = (...steps: Step[]) =>
  momentsOf(
    steps.map((step, index) => step(index + 1)),
    DAEMON_SET,
  );

test('one node after the other is as it should be', () => {
  const turn = (name: string) => [
    lock(name),
    cordon(name),
    host(name, false),
    host(name, true),
    cordon(name, false),
    lock(''),
  ];
  const all = moments(...turn('a'), ...turn('b'));
  for (const check of [twoCordoned, cordonedWithoutLock, downWithoutLock, takeovers]) {
    assert.deepEqual(check(all), [], check.name);
  }
  assert.deepEqual(holders(all), ['a', 'b']);
});

test('two nodes cordoned at once are told once, with the revision', () => {
  const all = moments(cordon('a'), cordon('b'), lock('a'), cordon('a', false));
  assert.deepEqual(twoCordoned(all), ['cordoned at once: a, b (revision 2)']);
});

test('a cordon outside the lock', () => {
  const early = moments(cordon('a'), lock('a'));
  assert.deepEqual(cordonedWithoutLock(early), [
    'cordoned: a, while the lock is free (revision 1)',
  ]);
  assert.deepEqual(cordonedWithoutLock(early, ['a']), []);
  const late = moments(lock('a'), cordon('a'), lock('b'));
  assert.deepEqual(cordonedWithoutLock(late), ['cordoned: a, while the lock is b (revision 3)']);
});

test('a host that goes down outside the lock, and a lock that is taken over', () => {
  const all = moments(lock('a'), lock('b'), host('a', false));
  assert.deepEqual(downWithoutLock(all), ['down: a, while the lock is b (revision 3)']);
  assert.deepEqual(takeovers(all), ['the lock went from a to b (revision 2)']);
});

test('the lock of another DaemonSet is none', () => {
  assert.deepEqual(holders(moments(lock('a', 'kube-system/other'))), []);
});

test('pods below the budget: leaving, gone, and on a host that is down', () => {
  const up = [pod('1'), pod('2'), pod('3', 'b')];
  const budget = { replicas: 3, minAvailable: 2 };
  const below = (...steps: Step[]) => belowBudget(moments(...steps), 'shop', budget);
  assert.deepEqual(below(...up, pod('1', 'a', leaving), gone('1'), pod('4')), []);
  const shown = ['shop has 1 of at least 2 pods at work (revision 5)'];
  assert.deepEqual(below(...up, pod('1', 'a', leaving), pod('2', 'a', leaving)), shown);
  assert.deepEqual(below(...up, gone('1'), gone('2')), shown);
  assert.deepEqual(below(...up, gone('1'), host('b', false)), shown);
  assert.deepEqual(below(pod('1')), ['shop never had 3 pods at work']);
});
