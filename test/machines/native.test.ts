import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent } from '../../machines/events.ts';
import { advance, start } from '../../machines/fold.ts';
import { disruptionOf } from '../../machines/setup.ts';
import { formatLine } from '../../src/trace/format.ts';
import { replayLog } from '../../src/trace/replay.ts';
import { INPUT } from './input.ts';

const NATIVE = { ...INPUT, namespace: '', daemonSet: '' };

/** The states and the text of a run through `events`. */
function run(input: typeof INPUT, events: RunEvent[]) {
  const first = start(input);
  const states = [first.snapshot.value];
  const lines = [...first.lines];
  let { snapshot } = first;
  for (const event of events) {
    const next = advance(snapshot, event);
    assert.ok(next, event.type);
    snapshot = next.snapshot;
    states.push(snapshot.value);
    lines.push(...next.lines);
  }
  const text = lines.map((line) => `2026/12/01 04:00:00 ${formatLine(line, input)}\n`).join('');
  return { states, text, snapshot };
}

const OUTCOMES: [RunEvent, string][] = [
  [{ type: 'upgrade.finished', status: { rebootRequired: false, detail: '' } }, 'done'],
  [{ type: 'upgrade.finished', status: { rebootRequired: true, detail: '' } }, 'done'],
  [
    { type: 'upgrade.failed', status: { rebootRequired: false, detail: '' }, message: 'no' },
    'failed',
  ],
];
for (const [outcome, end] of OUTCOMES) {
  test(`without Kubernetes a run needs no lock: ${JSON.stringify(outcome)}`, () => {
    const { states, text } = run(NATIVE, [outcome, { type: 'node.reported' }]);
    assert.deepEqual(states, [{ locked: 'upgrading' }, { locked: 'reporting' }, end]);
    assert.doesNotMatch(text, /kube\/lock/);
    assert.equal(replayLog(text).divergence, null);
    assert.equal(replayLog(text).records.at(-1)?.to, end);
  });
}

test('an upgrade left over without a journal is adopted while the lock is this node’s', () => {
  const own: RunEvent = { type: 'lock.read', lock: { value: 'node-1', resourceVersion: '1' } };
  const { states, snapshot } = run({ ...INPUT, adopt: true }, [own]);
  assert.deepEqual(states, [{ locked: { verifying: 'get' } }, { locked: 'upgrading' }]);
  assert.equal(snapshot.context.resumeAt, 'upgrading');
});

test('without Kubernetes no lock is read after a kept reboot, nor by a process that goes on', () => {
  const before = { bootId: 'one', bootMs: 1, atMs: 2 };
  const after = { bootId: 'two', bootMs: 3, atMs: 4 };
  const disruption = { ...disruptionOf({}), reboot: true, hardWindow: true };
  const kept = run({ ...NATIVE, disruption, boot: before, isRebootPending: true }, [
    { type: 'reboot.marked', at: '2026-12-01T04:00:00.000Z', atMs: 1 },
    { type: 'reboot.requested' },
    { type: 'run.interrupted' },
    { type: 'run.resumed', deadlineInMs: 1_000, boot: after },
    { type: 'reboot.cleared' },
  ]);
  assert.deepEqual(kept.states.at(-1), { locked: 'upgrading' });
  assert.doesNotMatch(kept.text, /kube\/lock/);
  const resumed = run(NATIVE, [
    { type: 'run.interrupted' },
    { type: 'run.resumed', deadlineInMs: null },
  ]);
  assert.deepEqual(resumed.states.at(-1), { locked: 'upgrading' });
  assert.doesNotMatch(resumed.text, /kube\/lock/);
});
