import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent } from '../../machines/events.ts';
import { advance, type RunSnapshot, start } from '../../machines/fold.ts';
import { INPUT } from './input.ts';

const lock = (value: string) => ({ value, resourceVersion: '1' });
const OWN: RunEvent[] = [
  { type: 'lock.read', lock: lock('') },
  { type: 'lock.updated', lock: lock('node-1') },
];
const FINISHED: RunEvent = {
  type: 'upgrade.finished',
  status: { rebootRequired: false, detail: '' },
};
const INTERRUPTED: RunEvent = { type: 'run.interrupted' };
const RESUMED: RunEvent = { type: 'run.resumed', deadlineInMs: 30_000 };

function fold(events: RunEvent[]): RunSnapshot {
  return events.reduce((snapshot, event) => {
    const next = advance(snapshot, event);
    assert.ok(next, `${event.type} in ${JSON.stringify(snapshot.value)}`);
    return next.snapshot;
  }, start(INPUT).snapshot);
}

const CASES: [string, RunEvent[], unknown][] = [
  ['waiting', [{ type: 'lock.read', lock: lock('node-2') }], { acquiring: 'get' }],
  ['updating', OWN.slice(0, 1), { acquiring: 'get' }],
  ['upgrading', OWN, { locked: { verifying: 'get' } }],
  ['reporting', [...OWN, FINISHED], { locked: 'reporting' }],
  ['releasing', [...OWN, FINISHED, { type: 'node.reported' }], { releasing: 'get' }],
];
for (const [name, events, expected] of CASES) {
  test(`a run interrupted while ${name} rests, and goes on where it was`, () => {
    assert.equal(fold([...events, INTERRUPTED]).value, 'interrupted');
    assert.deepEqual(fold([...events, INTERRUPTED, RESUMED]).value, expected);
    assert.deepEqual(fold([...events, INTERRUPTED, RESUMED, INTERRUPTED, RESUMED]).value, expected);
  });
}

test('an interrupted upgrade touches the host only while the lock is still its own', () => {
  const resumed = [...OWN, INTERRUPTED, RESUMED];
  assert.deepEqual(fold([...resumed, { type: 'lock.read', lock: lock('node-1') }]).value, {
    locked: 'upgrading',
  });
  for (const value of ['', 'node-2']) {
    const lost = fold([...resumed, { type: 'lock.read', lock: lock(value) }]);
    assert.equal(lost.value, 'failed');
    assert.match(lost.context.error ?? '', /Broken lock/);
  }
});

test('a stop during the upgrade leaves it to systemd, and the run rests', () => {
  assert.equal(fold([...OWN, { type: 'stop.requested' }]).value, 'interrupted');
});
