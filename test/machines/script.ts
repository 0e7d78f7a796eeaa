import { createActor, fromEventObservable, SimulatedClock } from 'xstate';
import type { RunEvent, RunInput } from '../../machines/events.ts';
import type { Line } from '../../machines/lines.ts';
import { runMachine } from '../../machines/run.ts';
import type { LockActorInput, ReportInput } from '../../machines/setup.ts';
import { formatLine } from '../../src/trace/format.ts';

/** What a scripted cluster answers: `[delayMs, event]` each, in virtual time. */
export type Answers = [number, RunEvent][];
export type Script = Partial<
  Record<
    'readLock' | 'watchLock' | 'acquireLock' | 'releaseLock' | 'upgradeHost' | 'reportNode',
    Answers[]
  >
>;

/** Runs the live machine in virtual time from `startMs` for `forMs`; returns its classic lines. */
export function runLive(input: RunInput, script: Script, startMs: number, forMs: number) {
  const clock = new SimulatedClock();
  const lines: string[] = [];
  const calls: string[] = [];
  const scripted = <Input = LockActorInput>(name: keyof Script) =>
    fromEventObservable<RunEvent, Input>(() => ({
      subscribe: (observer) => {
        calls.push(name);
        const next = typeof observer === 'function' ? observer : observer.next;
        const answers = script[name]?.shift() ?? [];
        const timers = answers.map(([delayMs, event]) =>
          clock.setTimeout(() => next?.(event), delayMs),
        );
        return {
          unsubscribe: () => {
            for (const timer of timers) clock.clearTimeout(timer);
          },
        };
      },
    }));
  const machine = runMachine.provide({
    actors: {
      readLock: scripted('readLock'),
      watchLock: scripted('watchLock'),
      acquireLock: scripted('acquireLock'),
      releaseLock: scripted('releaseLock'),
      upgradeHost: scripted<{ node: string; resumed: boolean }>('upgradeHost'),
      reportNode: scripted<ReportInput>('reportNode'),
    },
    actions: {
      log: (_, line: Line) => {
        const at = new Date(startMs + clock.now());
        const time = at.toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ');
        lines.push(`${time} ${formatLine(line, input)}`);
      },
    },
  });
  const actor = createActor(machine, { input, clock });
  actor.start();
  // Small steps: SimulatedClock runs timers of one increment in the order they were set.
  for (let ms = 0; ms < forMs; ms += 1) clock.increment(1);
  return { lines, calls, snapshot: actor.getSnapshot() };
}
