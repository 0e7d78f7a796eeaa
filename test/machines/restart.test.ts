import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Disruption } from '../../machines/events.ts';
import { type RunSnapshot, start, stateName } from '../../machines/fold.ts';
import { disruptionOf } from '../../machines/setup.ts';
import { answer, inputOf, newWorld, reboot, restart, step, type World } from './world.ts';

const DRAIN: Disruption = { ...disruptionOf({}), reboot: true, drain: true };
/** Every state in which something of the run may be on the node or its host. */
const STATES = [
  'locked.upgrading',
  'locked.reporting',
  'locked.draining.confirming',
  'locked.draining.cordoning',
  'locked.draining.evicting',
  'locked.rebooting.confirming',
  'locked.rebooting.marking',
  'locked.rebooting.requesting',
  'locked.rebooting.waiting',
  'locked.undoing.clearing',
  'locked.uncordoning.patching',
  'releasing.get',
  'releasing.update',
];

/** A run up to where it is in `state`, which must come. */
function runTo(state: string, world: World, disruption: Disruption): RunSnapshot {
  let { snapshot } = start(inputOf(world, disruption));
  while (stateName(snapshot.value) !== state) {
    assert.equal(snapshot.status, 'active', `${state} never comes`);
    snapshot = step(snapshot, answer(world, snapshot));
  }
  return snapshot;
}

/** The run of the new process to its end; `isAlive`: a reboot that it asks for comes about. */
function finish(begun: RunSnapshot, world: World, isAlive: boolean): RunSnapshot {
  let snapshot = begun;
  for (let steps = 0; snapshot.status === 'active'; steps += 1) {
    assert.ok(steps < 100, `no end in ${stateName(snapshot.value)}`);
    const calls = world.rebootCalls;
    const event = answer(world, snapshot);
    if (world.rebootCalls > calls && isAlive) {
      reboot(world);
      snapshot = restart(world, snapshot, DRAIN) as RunSnapshot;
      continue;
    }
    snapshot = step(snapshot, event);
  }
  return snapshot;
}

describe('a process that starts anew, whatever state the last one was in', () => {
  for (const state of STATES) {
    for (const hasJournal of [true, false]) {
      for (const hasRebooted of [true, false]) {
        for (const isDone of [true, false]) {
          for (const isCordonedByOther of [true, false]) {
            const name = [
              state,
              isDone ? 'its effect done' : 'its effect not begun',
              hasJournal ? 'with its journal' : 'the journal lost',
              hasRebooted ? 'the host rebooted' : 'the host still up',
              ...(isCordonedByOther ? ['cordoned by somebody else'] : []),
            ].join(', ');
            test(name, () => {
              const world = newWorld(isCordonedByOther);
              const left = runToOrSkip(state, world);
              if (left === null) return;
              if (state === 'locked.upgrading') world.isUnitRunning = isDone && !hasRebooted;
              // Killed after the effect and before its event was written.
              else if (isDone) answer(world, left);
              if (hasRebooted) reboot(world);
              const begun = restart(world, hasJournal ? left : null, DRAIN);
              const end = begun && finish(begun, world, true);
              assert.equal(world.lock, '');
              assert.equal(world.mark, null);
              assert.equal(world.isMarkedDrained, false);
              assert.equal(world.isUnschedulable, isCordonedByOther);
              assert.ok(world.rebootCalls <= 1, `${world.rebootCalls} reboots`);
              // A reboot that came too late for its time is still one.
              const isLate =
                state === 'locked.undoing.clearing' || state.startsWith('locked.rebooting');
              if (hasRebooted && isLate) assert.notEqual(end?.value, 'failed');
            });
          }
        }
      }
    }
  }
});

/** Where somebody else has cordoned the node nothing is uncordoned: that state never comes. */
function runToOrSkip(state: string, world: World): RunSnapshot | null {
  if (world.isUnschedulable && state === 'locked.uncordoning.patching') return null;
  return runTo(state, world, DRAIN);
}

test('what the original left: the time of its mark against the time of the boot', () => {
  for (const [bootMs, expected] of [
    [900_000, 'locked.rebooted.clearing'],
    [700_000, 'locked.rebooting.waiting'],
  ] as const) {
    const world = newWorld();
    world.mark = { at: 'then', atMs: 800_000, bootId: '' };
    world.boot = { bootId: 'any', bootMs, atMs: 901_000 };
    assert.equal(stateName(restart(world, null, DRAIN)?.value), expected);
  }
});

test('a mark without the lock: the node is put right, and nobody’s lock is touched', () => {
  const world = newWorld();
  Object.assign(world, { lock: 'node-2', isMarkedDrained: true, isUnschedulable: true });
  world.mark = { at: 'then', atMs: 800_000, bootId: 'zero' };
  finish(restart(world, null, DRAIN) as RunSnapshot, world, true);
  assert.deepEqual(
    [world.lock, world.isUnschedulable, world.mark, world.rebootCalls],
    ['node-2', false, null, 0],
  );
});
