import assert from 'node:assert/strict';
import { test } from 'node:test';
import { advance, type RunSnapshot, start } from '../../machines/fold.ts';
import { combine } from '../../src/rehearsal/combine.ts';
import type { Fault } from '../../src/rehearsal/faults.ts';
import { type Ended, outcome } from '../../src/rehearsal/outcome.ts';
import { INPUT } from '../machines/input.ts';

const waiting = start(INPUT).snapshot;
const deadline = (snapshot: RunSnapshot) =>
  advance(snapshot, { type: 'deadline.reached' })?.snapshot ?? null;
const ended = (snapshot: RunSnapshot | null): Ended => ({
  node: 'node-1',
  snapshot,
  atMs: 60_000,
  count: { requests: 1, conflicts: 0 },
});
const violations = (snapshot: RunSnapshot | null, faults: Fault[]) =>
  outcome([ended(snapshot)], [], combine(faults), 0, 60_000).violations;

test('a run that failed without leave, has not ended or never began is a violation', () => {
  assert.match(violations(deadline(waiting), [])[0] ?? '', /^node-1 failed: Failed to acquire/);
  assert.deepEqual(violations(waiting, []), ['node-1 has not ended: acquiring.get']);
  assert.deepEqual(violations(null, []), ['node-1 has not ended: not started']);
});

test('a failure that a fault allows is none', () => {
  assert.deepEqual(violations(deadline(waiting), [{}, { mayFail: () => true }]), []);
});

test('who never held the lock waited until its end', () => {
  const { nodes } = outcome([ended(deadline(waiting))], [], combine([]), 0, 70_000);
  assert.deepEqual([nodes[0]?.order, nodes[0]?.waitedMs, nodes[0]?.heldMs], [null, 60_000, 0]);
});

test('a run that ends well, though it has to fail, is a violation', () => {
  const { snapshot } = start({ ...INPUT, daemonSet: '' });
  const finished = advance(snapshot, {
    type: 'upgrade.finished',
    status: { rebootRequired: false, detail: '' },
  });
  const done = finished && advance(finished.snapshot, { type: 'node.reported' });
  assert.ok(done);
  assert.deepEqual(violations(done.snapshot, []), []);
  assert.deepEqual(violations(done.snapshot, [{ mustFail: ['node-1'] }]), [
    'node-1 is done, though its upgrade fails',
  ]);
});
