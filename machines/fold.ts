import { initialTransition, transition } from 'xstate';
import type { RunEvent, RunInput } from './events.ts';
import type { Line } from './lines.ts';
import { runMachine } from './run.ts';

export type RunSnapshot = ReturnType<typeof initialTransition<typeof runMachine>>[0];

/** A step of the pure machine: where it led and the lines it wrote. Executes nothing. */
export interface Step {
  snapshot: RunSnapshot;
  lines: Line[];
}

/**
 * For its steps xstate's `transition` makes an actor each time, which computes the initial state of
 * the machine, without any input: a third of a step's time, for what nothing reads.
 */
const stepping: typeof runMachine = Object.create(runMachine, {
  getInitialSnapshot: { value: () => null },
});

export function start(input: RunInput): Step {
  return step(initialTransition(runMachine, input));
}

/** The step for `event`, or null where the machine has no transition for it. */
export function advance(snapshot: RunSnapshot, event: RunEvent): Step | null {
  // A finished snapshot would still be moved by `transition`.
  if (snapshot.status !== 'active' || !snapshot.can(event)) return null;
  return step(transition(stepping, snapshot, event));
}

function step([snapshot, actions]: ReturnType<typeof initialTransition<typeof runMachine>>): Step {
  const lines = actions
    .filter((action) => action.type === 'log')
    .map((action) => action.params as Line);
  return { snapshot, lines };
}

/** What a snapshot comes from again: plain data. */
export interface Point {
  value: RunSnapshot['value'];
  context: RunSnapshot['context'];
}

export function pointOf({ value, context }: RunSnapshot): Point {
  return { value, context };
}

/** The snapshot of a point, to be folded on. Throws where the machine has no such state. */
export function snapshotAt(point: Point): RunSnapshot {
  return runMachine.resolveState(point);
}

/** `acquiring.watch.held` for the state value of a snapshot. */
export function stateName(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([key, inner]) => `${key}.${stateName(inner)}`)
    .join(' ');
}
