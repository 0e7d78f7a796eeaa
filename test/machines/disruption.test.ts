import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Boot, Disruption, HostStatus, RunEvent, RunInput } from '../../machines/events.ts';
import { advance, type RunSnapshot, start, stateName } from '../../machines/fold.ts';
import { INPUT } from './input.ts';

const BOOT: Boot = { bootId: 'one', bootMs: 1_000, atMs: 2_000 };
const NEXT_BOOT: Boot = { bootId: 'two', bootMs: 900_000, atMs: 901_000 };
const DISRUPTION: Disruption = {
  reboot: true,
  drain: true,
  drainBefore: 'reboot',
  hardWindow: false,
  rebootTimeoutMs: 300_000,
  drainTimeoutMs: 900_000,
  gracePeriodS: null,
  podSelector: '',
  skipWaitForDeleteTimeoutS: 0,
};
const RUN: RunInput = { ...INPUT, boot: BOOT, disruption: DISRUPTION };
const REQUIRED: HostStatus = { rebootRequired: true, detail: '', rebootMessage: 'linux-image' };

const lock = (value: string) => ({ value, resourceVersion: '1' });
const own: RunEvent = { type: 'lock.read', lock: lock('node-1') };
const LOCKED: RunEvent[] = [
  { type: 'lock.read', lock: lock('') },
  { type: 'lock.updated', lock: lock('node-1') },
];
const upgraded = (status: HostStatus): RunEvent[] => [
  ...LOCKED,
  { type: 'upgrade.finished', status },
  { type: 'node.reported' },
];
const CORDONED: RunEvent[] = [...upgraded(REQUIRED), own, { type: 'node.cordoned', before: false }];
const DRAINED: RunEvent[] = [...CORDONED, { type: 'node.drained', output: '' }];
const MARKED: RunEvent[] = [
  ...DRAINED,
  own,
  { type: 'reboot.marked', at: '2026-12-01T04:31:09Z', atMs: 800_000 },
];
const REQUESTED: RunEvent[] = [...MARKED, { type: 'reboot.requested' }];
const INTERRUPTED: RunEvent = { type: 'run.interrupted' };
const resumed = (boot: Boot): RunEvent => ({ type: 'run.resumed', deadlineInMs: 0, boot });
const CLEARED: RunEvent = { type: 'reboot.cleared' };
const UNCORDONED: RunEvent = { type: 'node.uncordoned', done: true };
const RELEASED: RunEvent[] = [own, { type: 'lock.updated', lock: lock('') }];

function fold(events: RunEvent[], input: RunInput = RUN): RunSnapshot {
  return events.reduce((snapshot, event) => {
    const next = advance(snapshot, event);
    assert.ok(next, `${event.type} in ${stateName(snapshot.value)}`);
    return next.snapshot;
  }, start(input).snapshot);
}

const stateAfter = (events: RunEvent[], input?: RunInput) => stateName(fold(events, input).value);
const with_ = (disruption: Partial<Disruption>, input: Partial<RunInput> = {}): RunInput => ({
  ...RUN,
  ...input,
  disruption: { ...DISRUPTION, ...disruption },
});

test('a required reboot: drain, mark, reboot, and after the new boot uncordon and release', () => {
  assert.equal(stateAfter(REQUESTED), 'locked.rebooting.waiting');
  const after = [...REQUESTED, INTERRUPTED, resumed(NEXT_BOOT)];
  assert.equal(stateAfter(after), 'locked.rebooted.clearing');
  assert.equal(stateAfter([...after, CLEARED]), 'locked.uncordoning.patching');
  assert.equal(stateAfter([...after, CLEARED, UNCORDONED]), 'releasing.get');
  const end = fold([...after, CLEARED, UNCORDONED, ...RELEASED]);
  assert.equal(end.value, 'done');
  assert.equal(end.context.rebooted?.bootId, 'two');
});

test('without --drain nothing is cordoned; without --reboot nothing is rebooted', () => {
  const undrained = [...upgraded(REQUIRED), own];
  assert.equal(stateAfter(undrained, with_({ drain: false })), 'locked.rebooting.marking');
  assert.equal(stateAfter(upgraded(REQUIRED), with_({ reboot: false })), 'releasing.get');
});

test('the lock is read again before the drain and before the reboot; lost, nothing more is done', () => {
  for (const value of ['', 'node-2']) {
    const read: RunEvent = { type: 'lock.read', lock: lock(value) };
    const undrained = fold([...upgraded(REQUIRED), read]);
    assert.equal(undrained.value, 'failed');
    assert.match(undrained.context.error ?? '', /Broken lock/);
    const drained = [...DRAINED, read];
    assert.equal(stateAfter(drained), 'locked.uncordoning.patching');
    assert.equal(stateAfter([...drained, UNCORDONED]), 'failed');
  }
});

test('trap 19: a drain that fails or takes too long: condition, uncordon, release, and no reboot', () => {
  const failures: RunEvent[] = [
    { type: 'drain.failed', message: 'two PodDisruptionBudgets' },
    { type: 'drain.expired' },
  ];
  for (const failure of failures) {
    const failed = [...CORDONED, failure];
    assert.equal(stateAfter(failed), 'locked.undrained');
    const reported: RunEvent[] = [...failed, { type: 'node.reported' }];
    assert.equal(stateAfter(reported), 'locked.uncordoning.patching');
    assert.equal(stateAfter([...reported, UNCORDONED]), 'releasing.get');
    const end = fold([...reported, UNCORDONED, ...RELEASED]);
    assert.equal(end.value, 'failed');
    assert.match(end.context.error ?? '', /two PodDisruptionBudgets|not done within 900 s/);
  }
});

test('a drain that is out of time names the pod and the budget in its way', () => {
  const blocked: RunEvent = {
    type: 'pod.blocked',
    pod: 'default/web-1',
    budget: 'web',
    message: 'needs 2, has 2',
    retryInMs: 5_000,
  };
  const { error } = fold([...CORDONED, blocked, { type: 'drain.expired' }]).context;
  assert.match(error ?? '', /default\/web-1 by PodDisruptionBudget default\/web$/);
  const gone: RunEvent[] = [blocked, { type: 'pod.gone', pod: 'default/web-1' }];
  const { error: later } = fold([...CORDONED, ...gone, { type: 'drain.expired' }]).context;
  assert.doesNotMatch(later ?? '', /web-1/);
});

test('what somebody else cordoned stays cordoned', () => {
  const before: RunEvent[] = [
    ...upgraded(REQUIRED),
    own,
    { type: 'node.cordoned', before: true },
    { type: 'drain.failed', message: '' },
    { type: 'node.reported' },
  ];
  assert.equal(stateAfter(before), 'releasing.get');
});

test('trap 24: a refused reboot, or one that never comes, is undone', () => {
  const refused: RunEvent[] = [...MARKED, { type: 'reboot.refused', message: 'Access denied' }];
  const expired: RunEvent[] = [...REQUESTED, { type: 'reboot.expired' }];
  for (const failed of [refused, expired]) {
    assert.equal(stateAfter(failed), 'locked.undoing.clearing');
    assert.equal(stateAfter([...failed, CLEARED]), 'locked.uncordoning.patching');
    const end = fold([...failed, CLEARED, UNCORDONED, ...RELEASED]);
    assert.equal(end.value, 'failed');
    assert.match(end.context.error ?? '', /Access denied|still up 300 s/);
  }
});

test('trap 50: the same boot id is no proof, whatever the clock says; another is, also with an earlier clock', () => {
  const later: Boot = { bootId: 'one', bootMs: 5_000_000, atMs: 5_000_001 };
  assert.equal(stateAfter([...REQUESTED, INTERRUPTED, resumed(later)]), 'locked.rebooting.waiting');
  const earlier: Boot = { bootId: 'two', bootMs: 1, atMs: 2 };
  const proven = [...REQUESTED, INTERRUPTED, resumed(earlier)];
  assert.equal(stateAfter(proven), 'locked.rebooted.clearing');
});

test('a process that finds the host in the same boot waits for the rest of the time', () => {
  const at = (atMs: number) =>
    fold([...REQUESTED, INTERRUPTED, resumed({ ...BOOT, atMs })]).context.waitMs;
  assert.equal(at(900_000), 200_000);
  assert.equal(at(5_000_000), 0);
  assert.equal(at(0), 300_000);
});

test('no second reboot is asked for, also where the answer to the first is not known', () => {
  assert.equal(stateAfter([...MARKED, INTERRUPTED, resumed(BOOT)]), 'locked.rebooting.waiting');
});

test('a host that rebooted by itself on the way there has done what was to be done', () => {
  for (const events of [upgraded(REQUIRED), CORDONED, DRAINED]) {
    const after: RunEvent[] = [...events, INTERRUPTED, resumed(NEXT_BOOT)];
    assert.equal(stateAfter(after), 'locked.rebooted.clearing');
  }
});

test('--hard-window: past the deadline no drain and no reboot begins; the reboot is kept', () => {
  const hard = with_({ hardWindow: true });
  const closed: RunEvent = { type: 'window.closed' };
  const late = [...upgraded(REQUIRED).slice(0, -1), closed, { type: 'node.reported' } as const];
  const kept = fold(late, hard);
  assert.equal(stateName(kept.value), 'releasing.get');
  assert.equal(kept.context.isRebootKept, true);
  for (const events of [upgraded(REQUIRED), CORDONED]) {
    const { context, value } = fold([...events, closed], hard);
    assert.equal(context.isRebootKept, true);
    assert.match(stateName(value), /releasing.get|locked.uncordoning.patching/);
  }
  const drained = [...DRAINED, closed];
  assert.equal(stateAfter(drained, hard), 'locked.uncordoning.patching');
  assert.equal(stateAfter([...drained, UNCORDONED, ...RELEASED], hard), 'done');
  assert.equal(stateAfter([...REQUESTED, closed], hard), 'locked.rebooting.waiting');
});

test('a window that closes during the drain before an upgrade keeps no reboot that nobody asks for', () => {
  const first = with_({ drainBefore: 'upgrade', hardWindow: true });
  const cordoned: RunEvent[] = [...LOCKED, own, { type: 'node.cordoned', before: false }];
  const { context, value } = fold([...cordoned, { type: 'window.closed' }], first);
  assert.equal(stateName(value), 'locked.undrained');
  assert.equal(context.isRebootKept, false);
});

test('a lock that was lost while this process was away leaves no cordon', () => {
  const first = with_({ drainBefore: 'upgrade' });
  const upgrading: RunEvent[] = [
    ...LOCKED,
    own,
    { type: 'node.cordoned', before: false },
    { type: 'node.drained', output: '' },
    INTERRUPTED,
    resumed(BOOT),
    { type: 'lock.read', lock: lock('node-2') },
  ];
  assert.equal(stateAfter(upgrading, first), 'locked.uncordoning.patching');
  assert.equal(stateAfter([...upgrading, UNCORDONED], first), 'failed');
});

test('trap 21: without --hard-window the deadline is for the lock alone', () => {
  assert.equal(fold(upgraded(REQUIRED)).context.isRebootKept, false);
});

test('a reboot kept from the last window comes first, then the upgrade; and only one a run', () => {
  const pending = with_({ hardWindow: true, drain: false }, { isRebootPending: true });
  const events: RunEvent[] = [
    ...LOCKED,
    own,
    { type: 'reboot.marked', at: '', atMs: 1 },
    { type: 'reboot.requested' },
    INTERRUPTED,
    { ...resumed(NEXT_BOOT), deadlineInMs: 1_000 } as RunEvent,
    CLEARED,
  ];
  // The lock may have been lost while the host was down.
  assert.equal(stateAfter(events, pending), 'locked.verifying.get');
  assert.equal(
    stateAfter([...events, { type: 'lock.read', lock: lock('node-2') }], pending),
    'failed',
  );
  const again = fold(
    [...events, own, { type: 'upgrade.finished', status: REQUIRED }, { type: 'node.reported' }],
    pending,
  );
  assert.equal(stateName(again.value), 'releasing.get');
  assert.equal(again.context.isRebootKept, true);
});

test('--drain-before=upgrade: drained before packages are touched, uncordoned when no reboot follows', () => {
  const first = with_({ drainBefore: 'upgrade' });
  assert.equal(stateAfter(LOCKED, first), 'locked.draining.confirming');
  const drained: RunEvent[] = [
    ...LOCKED,
    own,
    { type: 'node.cordoned', before: false },
    { type: 'node.drained', output: '' },
  ];
  assert.equal(stateAfter(drained, first), 'locked.upgrading');
  const report = (status: HostStatus): RunEvent[] => [
    ...drained,
    { type: 'upgrade.finished', status },
    { type: 'node.reported' },
  ];
  const upToDate: HostStatus = { rebootRequired: false, detail: '' };
  assert.equal(stateAfter(report(upToDate), first), 'locked.uncordoning.patching');
  assert.equal(stateAfter(report(REQUIRED), first), 'locked.rebooting.confirming');
});

test('trap 11: after a proven reboot the same verdict with nothing installed since means no second one', () => {
  const lastReboot = { bootId: 'one', cause: 'linux-image' };
  const input = { ...RUN, lastReboot };
  const again = (status: HostStatus) => stateAfter(upgraded(status), input);
  assert.equal(again({ ...REQUIRED, changed: false }), 'releasing.get');
  assert.equal(again({ ...REQUIRED, changed: true }), 'locked.draining.confirming');
  assert.equal(
    again({ ...REQUIRED, changed: false, rebootMessage: 'libc6' }),
    'locked.draining.confirming',
  );
  const stamped = { ...REQUIRED, changed: false, sinceMs: 5_000 };
  assert.equal(again(stamped), 'locked.draining.confirming');
  const elsewhere = { ...RUN, lastReboot: { ...lastReboot, bootId: 'zero' } };
  assert.equal(
    stateAfter(upgraded({ ...REQUIRED, changed: false }), elsewhere),
    'locked.draining.confirming',
  );
});

test('trap 8: a check that errors is never a yes', () => {
  const unknown = { rebootRequired: false, detail: '', rebootUnknown: 'exit status 127' };
  const end = fold([...upgraded(unknown), ...RELEASED]);
  assert.equal(end.value, 'failed');
  assert.match(end.context.error ?? '', /^Reboot check failed: exit status 127/);
});

test('natively there is no lock and no node: the reboot alone', () => {
  const native = with_({ drain: false }, { daemonSet: '' });
  const events: RunEvent[] = [
    { type: 'upgrade.finished', status: REQUIRED },
    { type: 'node.reported' },
    { type: 'reboot.marked', at: '', atMs: 1 },
    { type: 'reboot.requested' },
  ];
  assert.equal(stateAfter(events, native), 'locked.rebooting.waiting');
  assert.equal(stateAfter([...events, INTERRUPTED, resumed(NEXT_BOOT), CLEARED], native), 'done');
});

test('the upgrade’s failure means no reboot, whatever the host asks for (trap 5)', () => {
  const failed: RunEvent[] = [
    ...LOCKED,
    { type: 'upgrade.failed', status: REQUIRED, message: 'dpkg' },
    { type: 'node.reported' },
  ];
  assert.equal(stateAfter(failed), 'releasing.get');
});

test('a stop in any state of a drain or a reboot rests the run, and the next process goes on there', () => {
  const cases: [RunEvent[], string][] = [
    [upgraded(REQUIRED), 'locked.draining.confirming'],
    [CORDONED, 'locked.draining.confirming'],
    [DRAINED, 'locked.rebooting.confirming'],
    [MARKED, 'locked.rebooting.waiting'],
    [REQUESTED, 'locked.rebooting.waiting'],
    [[...REQUESTED, { type: 'reboot.expired' }], 'locked.undoing.clearing'],
    [[...REQUESTED, { type: 'reboot.expired' }, CLEARED], 'locked.uncordoning.patching'],
  ];
  for (const [events, expected] of cases) {
    for (const end of [INTERRUPTED, { type: 'stop.requested' } as const]) {
      assert.equal(stateAfter([...events, end]), 'interrupted');
      assert.equal(stateAfter([...events, end, resumed(BOOT)]), expected);
    }
  }
});

test('a process started without --reboot goes on with no drain and no reboot', () => {
  const upgradeOnly = { ...DISRUPTION, reboot: false };
  const goesOn: RunEvent = { ...resumed(BOOT), disruption: upgradeOnly } as RunEvent;
  for (const events of [upgraded(REQUIRED), CORDONED, DRAINED]) {
    const state = stateAfter([...events, INTERRUPTED, goesOn]);
    assert.match(state, /^(releasing.get|locked.uncordoning.patching)$/);
  }
  // What has been asked of the host already is seen through.
  assert.equal(stateAfter([...REQUESTED, INTERRUPTED, goesOn]), 'locked.rebooting.waiting');
});

test('a reboot command that never ends is undone like a reboot that never comes', () => {
  const expired: RunEvent[] = [...MARKED, { type: 'reboot.expired' }];
  assert.equal(stateAfter(expired), 'locked.undoing.clearing');
});

test('an upgrade is adopted after a reboot that is proven: the mark goes as one that came about', () => {
  const leftover = {
    isLocked: true,
    isCordoned: true,
    reboot: { at: 'then', atMs: 1, bootId: 'zero', leftMs: 0 },
  };
  const events: RunEvent[] = [
    own,
    { type: 'upgrade.finished', status: { rebootRequired: false, detail: '' } },
    { type: 'node.reported' },
  ];
  const input: RunInput = { ...RUN, adopt: true, leftover };
  assert.equal(stateAfter(events, input), 'locked.rebooted.clearing');
  const still = { ...leftover, reboot: { ...leftover.reboot, bootId: 'one' } };
  assert.equal(stateAfter(events, { ...input, leftover: still }), 'locked.undoing.clearing');
});

test('a process started without --drain goes on with the reboot alone, and uncordons after it', () => {
  const goesOn = { ...resumed(BOOT), disruption: { ...DISRUPTION, drain: false } } as RunEvent;
  const after = fold([...CORDONED, INTERRUPTED, goesOn]);
  assert.equal(stateName(after.value), 'locked.rebooting.confirming');
  assert.equal(after.context.isCordoned, true);
});
