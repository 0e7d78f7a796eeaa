import type { Boot, Disruption, HostStatus, RunEvent, RunInput } from '../../machines/events.ts';
import { advance, type RunSnapshot, start, stateName } from '../../machines/fold.ts';
import { INPUT } from './input.ts';

/** One node with its host, as far as a run can change it. */
export interface World {
  lock: string;
  isUnschedulable: boolean;
  /** The annotations of a drain and a reboot. */
  isMarkedDrained: boolean;
  mark: { at: string; atMs: number; bootId: string } | null;
  boot: Boot;
  isUnitRunning: boolean;
  isRebootDue: boolean;
  rebootCalls: number;
}

const NODE = 'node-1';
const FIRST_BOOT: Boot = { bootId: 'one', bootMs: 1_000, atMs: 2_000 };
const REQUIRED: HostStatus = { rebootRequired: true, detail: '', changed: true };

export function newWorld(isCordonedByOther = false): World {
  return {
    lock: '',
    isUnschedulable: isCordonedByOther,
    isMarkedDrained: false,
    mark: null,
    boot: FIRST_BOOT,
    isUnitRunning: false,
    isRebootDue: true,
    rebootCalls: 0,
  };
}

export function inputOf(world: World, disruption: Disruption): RunInput {
  return { ...INPUT, disruption, boot: world.boot };
}

export function reboot(world: World): void {
  world.boot = { bootId: `${world.boot.bootId}+`, bootMs: 900_000, atMs: 901_000 };
  world.isUnitRunning = false;
  world.isRebootDue = false;
}

/** Carries out what the run waits for in its state, and gives what it is told of it. */
export function answer(world: World, snapshot: RunSnapshot): RunEvent {
  const state = stateName(snapshot.value);
  const effect = EFFECTS.find(([name]) => state.endsWith(name))?.[1];
  if (effect === undefined) throw new Error(`nothing happens in ${state}`);
  return effect(world);
}

const read = ({ lock }: World): RunEvent => ({
  type: 'lock.read',
  lock: { value: lock, resourceVersion: '1' },
});
const setLock = (world: World, value: string): RunEvent => {
  world.lock = value;
  return { type: 'lock.updated', lock: { value, resourceVersion: '2' } };
};

const EFFECTS: [string, (world: World) => RunEvent][] = [
  ['acquiring.get', read],
  ['verifying.get', read],
  ['releasing.get', read],
  ['draining.confirming', read],
  ['rebooting.confirming', read],
  ['acquiring.update', (world) => setLock(world, NODE)],
  ['releasing.update', (world) => setLock(world, '')],
  [
    'locked.upgrading',
    (world) => {
      world.isUnitRunning = false;
      const status = world.isRebootDue ? REQUIRED : { ...REQUIRED, rebootRequired: false };
      return { type: 'upgrade.finished', status };
    },
  ],
  ['locked.reporting', () => ({ type: 'node.reported' })],
  ['locked.undrained', () => ({ type: 'node.reported' })],
  [
    'draining.cordoning',
    (world) => {
      const before = world.isUnschedulable && !world.isMarkedDrained;
      if (!before) world.isMarkedDrained = true;
      world.isUnschedulable = true;
      return { type: 'node.cordoned', before };
    },
  ],
  ['draining.evicting', () => ({ type: 'node.drained', output: '' })],
  [
    'rebooting.marking',
    (world) => {
      world.mark = { at: 'then', atMs: 800_000, bootId: world.boot.bootId };
      return { type: 'reboot.marked', at: 'then', atMs: 800_000 };
    },
  ],
  [
    'rebooting.requesting',
    (world) => {
      world.rebootCalls += 1;
      return { type: 'reboot.requested' };
    },
  ],
  ['rebooting.waiting', () => ({ type: 'reboot.expired' })],
  ['clearing', clear],
  [
    'uncordoning.patching',
    (world) => {
      const done = world.isMarkedDrained;
      if (done) world.isUnschedulable = false;
      world.isMarkedDrained = false;
      return { type: 'node.uncordoned', done };
    },
  ],
];

function clear(world: World): RunEvent {
  world.mark = null;
  return { type: 'reboot.cleared' };
}

export function step(snapshot: RunSnapshot, event: RunEvent): RunSnapshot {
  const next = advance(snapshot, event);
  if (!next) throw new Error(`${event.type} is not possible in ${stateName(snapshot.value)}`);
  return next.snapshot;
}

/** What a process does first: goes on with the journal's run, or cleans up by the annotations. */
export function restart(
  world: World,
  journal: RunSnapshot | null,
  disruption: Disruption,
): RunSnapshot | null {
  if (journal !== null) {
    const rests =
      journal.value === 'interrupted' ? journal : step(journal, { type: 'run.interrupted' });
    return step(rests, { type: 'run.resumed', deadlineInMs: 0, boot: world.boot });
  }
  const { isMarkedDrained: isCordoned, mark } = world;
  const isLocked = world.lock === NODE;
  const adopt = isLocked && world.isUnitRunning;
  if (!isCordoned && mark === null && !adopt) {
    // No run is on: a lock of this node is released.
    if (isLocked) world.lock = '';
    return null;
  }
  const leftover = { isLocked, isCordoned, reboot: mark && { ...mark, leftMs: 1_000 } };
  return start({ ...inputOf(world, disruption), adopt, leftover }).snapshot;
}
