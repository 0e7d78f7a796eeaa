import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent } from '../../machines/events.ts';
import { advance, start } from '../../machines/fold.ts';
import { disruptionOf } from '../../machines/setup.ts';
import { rebootsBefore } from '../../src/service/runner.ts';
import { INPUT } from '../machines/input.ts';

const BOOT = { bootId: 'one', bootMs: 0, atMs: 1 };
const REQUIRED = { rebootRequired: true, detail: '', rebootMessage: 'linux-image', sinceMs: 7 };
const UPGRADED: RunEvent[] = [
  { type: 'lock.read', lock: { value: '', resourceVersion: '1' } },
  { type: 'lock.updated', lock: { value: 'node-1', resourceVersion: '2' } },
  { type: 'upgrade.finished', status: REQUIRED },
];

function contextAfter(events: RunEvent[]) {
  const disruption = { ...disruptionOf({}), reboot: true, hardWindow: true };
  return events.reduce(
    (snapshot, event) => advance(snapshot, event)?.snapshot ?? assert.fail(event.type),
    start({ ...INPUT, boot: BOOT, disruption }).snapshot,
  ).context;
}

test('the first run of a node has nothing before it', () => {
  assert.deepEqual(rebootsBefore(null, 'one'), {});
});

test('a reboot kept for the next window is the first thing of it, unless the host has rebooted', () => {
  const kept = contextAfter([...UPGRADED, { type: 'window.closed' }, { type: 'node.reported' }]);
  assert.deepEqual(rebootsBefore(kept, 'one'), { isRebootPending: true });
  assert.deepEqual(rebootsBefore(kept, 'two'), { isRebootPending: false });
});

test('trap 11: what led to the boot that the host is in is remembered, for as long as it is in it', () => {
  const rebooted = contextAfter([
    ...UPGRADED,
    { type: 'node.reported' },
    { type: 'lock.read', lock: { value: 'node-1', resourceVersion: '2' } },
    { type: 'reboot.marked', at: '', atMs: 2 },
    { type: 'reboot.requested' },
    { type: 'run.interrupted' },
    { type: 'run.resumed', deadlineInMs: 0, boot: { bootId: 'two', bootMs: 3, atMs: 4 } },
  ]);
  const lastReboot = { bootId: 'two', cause: 'linux-image', sinceMs: 7 };
  assert.deepEqual(rebootsBefore(rebooted, 'two'), { isRebootPending: false, lastReboot });
  assert.deepEqual(rebootsBefore(rebooted, 'three'), { isRebootPending: false });
  // Also from a run that came after it and rebooted nothing.
  const later = { ...contextAfter(UPGRADED), lastReboot };
  assert.deepEqual(rebootsBefore(later, 'two').lastReboot, lastReboot);
});

test('a kept reboot that a run never came to is kept on', () => {
  const context = { ...contextAfter([]), isRebootPending: true };
  assert.deepEqual(rebootsBefore(context, 'one'), { isRebootPending: true });
  assert.deepEqual(rebootsBefore(context, 'two'), { isRebootPending: false });
});
