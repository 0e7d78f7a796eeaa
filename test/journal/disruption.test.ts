import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimulatedClock } from 'xstate';
import type { Disruption, HostStatus, RunEvent, RunInput } from '../../machines/events.ts';
import { stateName } from '../../machines/fold.ts';
import { disruptionOf } from '../../machines/setup.ts';
import { resumeRun, startRun } from '../../src/journal/live.ts';
import { INPUT } from '../machines/input.ts';
import { inFolder, start } from './process.ts';

const MINE = { value: 'node-1', resourceVersion: '2' };
const OWN: RunEvent = { type: 'lock.read', lock: MINE };
const REQUIRED: HostStatus = { rebootRequired: true, detail: '' };
const BOOT = { bootId: 'one', bootMs: 0, atMs: 0 };
const UPGRADED: RunEvent[] = [
  { type: 'lock.read', lock: { value: '', resourceVersion: '1' } },
  { type: 'lock.updated', lock: MINE },
  { type: 'upgrade.finished', status: REQUIRED },
  { type: 'node.reported' },
];

const inputOf = (disruption: Partial<Disruption>): RunInput => ({
  ...INPUT,
  deadlineInMs: 10_000,
  boot: BOOT,
  disruption: { ...disruptionOf({}), reboot: true, drain: true, ...disruption },
});

function answerAll(process: ReturnType<typeof start>, events: RunEvent[]): void {
  for (const event of events) process.answer(event);
}

test(
  '--hard-window: its timer ends a drain, in the process that began it and in the next one',
  inFolder((path) => {
    const clock = new SimulatedClock();
    const first = start(path, clock);
    const run = startRun('r', inputOf({ hardWindow: true }), first.ports);
    answerAll(first, [...UPGRADED, OWN, { type: 'node.cordoned', before: false }]);
    clock.increment(4_000);
    assert.equal(stateName(run.snapshot().value), 'locked.draining.evicting');
    run.send({ type: 'stop.requested' });
    first.journal.close();

    const second = start(path, clock);
    assert.ok(second.journal.last);
    const resumed = resumeRun(second.journal.last, { ...second.ports, boot: BOOT });
    clock.increment(5_999);
    assert.equal(stateName(resumed.snapshot().value), 'locked.draining.confirming');
    clock.increment(1);
    assert.equal(stateName(resumed.snapshot().value), 'locked.uncordoning.patching');
    assert.equal(resumed.snapshot().context.isRebootKept, true);
    assert.deepEqual(second.errors, []);
  }),
);

test(
  'without --hard-window the deadline ends nothing once the lock is held',
  inFolder((path) => {
    const process = start(path);
    const run = startRun('r', inputOf({}), process.ports);
    answerAll(process, [...UPGRADED, OWN, { type: 'node.cordoned', before: false }]);
    process.clock.increment(60_000);
    assert.equal(stateName(run.snapshot().value), 'locked.draining.evicting');
  }),
);

test(
  '--drain-timeout ends a drain, 0 never does',
  inFolder((path) => {
    for (const [drainTimeoutMs, expected] of [
      [30_000, 'locked.undrained'],
      [0, 'locked.draining.evicting'],
    ] as const) {
      const process = start(`${path}-${drainTimeoutMs}`);
      const run = startRun('r', inputOf({ drainTimeoutMs }), process.ports);
      answerAll(process, [...UPGRADED, OWN, { type: 'node.cordoned', before: false }]);
      process.clock.increment(29_999);
      assert.equal(stateName(run.snapshot().value), 'locked.draining.evicting');
      process.clock.increment(1);
      assert.equal(stateName(run.snapshot().value), expected);
    }
  }),
);

test(
  '--reboot-timeout: a host that is still up then has not rebooted',
  inFolder((path) => {
    const process = start(path);
    const run = startRun('r', inputOf({ drain: false, rebootTimeoutMs: 5_000 }), process.ports);
    answerAll(process, [
      ...UPGRADED,
      OWN,
      { type: 'reboot.marked', at: 'then', atMs: 0 },
      { type: 'reboot.requested' },
    ]);
    process.clock.increment(4_999);
    assert.equal(stateName(run.snapshot().value), 'locked.rebooting.waiting');
    process.clock.increment(1);
    assert.equal(stateName(run.snapshot().value), 'locked.undoing.clearing');
    assert.equal(process.names().filter((name) => name === 'rebootHost').length, 1);
  }),
);
