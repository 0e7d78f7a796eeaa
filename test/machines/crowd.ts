import { Observable } from 'rxjs';
import { createActor, fromEventObservable } from 'xstate';
import type { RunEvent } from '../../machines/events.ts';
import type { LockObject } from '../../machines/lock.ts';
import { runMachine } from '../../machines/run.ts';
import type { LockActorInput } from '../../machines/setup.ts';
import { createRandom } from '../../src/rehearsal/random.ts';
import { type Timer, TimerQueue } from '../../src/rehearsal/timers.ts';
import { INPUT } from './input.ts';

export interface Crowd {
  nodes: number;
  /** What a change takes to get to a watch: up to so many ms, each time another time. */
  lagMs: number;
  /** What a request takes, there and back. */
  roundTripMs: number;
  seed: number;
}

export interface Passed {
  requests: number;
  conflicts: number;
  /** In virtual time, from the first tick to the last end. */
  seconds: number;
  done: number;
}

/** A whole rollout of live machines at one lock, in virtual time; upgrades take none. */
export function pass({ nodes, lagMs, roundTripMs, seed }: Crowd): Passed {
  const random = createRandom(seed, 'crowd');
  const timers = new TimerQueue();
  let nowMs = 0;
  let order = 0;
  const clock = {
    setTimeout(run: () => void, delayMs: number): Timer {
      order += 1;
      const timer = { dueMs: nowMs + delayMs, order, run };
      timers.push(timer);
      return timer;
    },
    clearTimeout(timer: Timer) {
      timer.run = null;
    },
  };
  const watches = new Set<(lock: LockObject) => void>();
  let lock: LockObject = { value: '', resourceVersion: '1', nodes };
  const passed: Passed = { requests: 0, conflicts: 0, seconds: 0, done: 0 };

  const request = (carryOut: () => RunEvent) =>
    new Observable<RunEvent>((subscriber) => {
      passed.requests += 1;
      let timer = clock.setTimeout(() => {
        const event = carryOut();
        timer = clock.setTimeout(() => {
          subscriber.next(event);
          subscriber.complete();
        }, roundTripMs / 2);
      }, roundTripMs / 2);
      return () => clock.clearTimeout(timer);
    });
  const patch = (input: LockActorInput, value: string) =>
    request(() => {
      if (input.lock.resourceVersion !== lock.resourceVersion) {
        passed.conflicts += 1;
        return { type: 'lock.conflicted', message: 'the object has been modified' };
      }
      lock = { ...lock, value, resourceVersion: `${Number(lock.resourceVersion) + 1}` };
      for (const send of watches) send(lock);
      return { type: 'lock.updated', lock };
    });
  const watch = (from: LockObject) =>
    new Observable<RunEvent>((subscriber) => {
      passed.requests += 1;
      let arrivesMs = 0;
      const underway = new Set<Timer>();
      const send = (changed: LockObject) => {
        // One connection keeps the order.
        arrivesMs = Math.max(arrivesMs, nowMs + random.next() * lagMs);
        const timer = clock.setTimeout(() => {
          underway.delete(timer);
          subscriber.next({ type: 'lock.changed', lock: changed });
        }, arrivesMs - nowMs);
        underway.add(timer);
      };
      if (lock.resourceVersion !== from.resourceVersion) send(lock);
      watches.add(send);
      return () => {
        watches.delete(send);
        for (const timer of underway) clock.clearTimeout(timer);
      };
    });
  const once = (event: RunEvent) =>
    new Observable<RunEvent>((subscriber) => {
      const timer = clock.setTimeout(() => subscriber.next(event), 0);
      return () => clock.clearTimeout(timer);
    });
  const port = <Input = LockActorInput>(call: (input: Input) => Observable<RunEvent>) =>
    fromEventObservable<RunEvent, Input>(({ input }) => call(input));

  const machine = runMachine.provide({
    actors: {
      readLock: port(() => request(() => ({ type: 'lock.read', lock }))),
      watchLock: port((input) => watch(input.lock)),
      acquireLock: port((input) => patch(input, input.node)),
      releaseLock: port((input) => patch(input, '')),
      upgradeHost: port(() =>
        once({ type: 'upgrade.finished', status: { rebootRequired: false, detail: '' } }),
      ),
      reportNode: port(() => request(() => ({ type: 'node.reported' }))),
    },
  });
  for (let index = 1; index <= nodes; index += 1) {
    const input = { ...INPUT, node: `node-${index}`, nodes, seed: index, deadlineInMs: 3_600_000 };
    const actor = createActor(machine, { input, clock });
    actor.subscribe({
      complete() {
        if (actor.getSnapshot().value === 'done') passed.done += 1;
        passed.seconds = nowMs / 1_000;
      },
    });
    actor.start();
  }
  for (let timer = timers.pop(); timer !== undefined; timer = timers.pop()) {
    nowMs = timer.dueMs;
    timer.run?.();
  }
  return passed;
}
