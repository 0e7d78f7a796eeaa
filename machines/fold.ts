import {
  type ActorScope,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  createActor,
  type SnapshotFrom,
} from 'xstate';
import type { RunEvent, RunInput } from './events.ts';
import type { Line } from './lines.ts';
import { runMachine } from './run.ts';

export type RunSnapshot = SnapshotFrom<typeof runMachine>;

/** A step of the pure machine: where it led and the lines it wrote. Executes nothing. */
export interface Step {
  snapshot: RunSnapshot;
  lines: Line[];
}

/**
 * What a step happens in. xstate's own `transition` makes an actor for each step, and for that the
 * machine's initial state: half of a step's time, for what nothing reads.
 */
const inert = createActor(
  Object.create(runMachine, { getInitialSnapshot: { value: () => null } }) as AnyStateMachine,
);

export function start(input: RunInput): Step {
  return step((scope) => runMachine.getInitialSnapshot(scope, input));
}

/** The step for `event`, or null where the machine has no transition for it. */
export function advance(snapshot: RunSnapshot, event: RunEvent): Step | null {
  // A finished snapshot would still be moved.
  if (snapshot.status !== 'active' || !snapshot.can(event)) return null;
  return step((scope) => runMachine.transition(snapshot, event, scope));
}

/** Tells of the transitions that steps take, of whatever run, until what it returns is called. */
export function onTransitions(
  seen: (definitions: readonly AnyTransitionDefinition[]) => void,
): () => void {
  const subscription = inert.system.inspect({
    next(inspected) {
      if (inspected.type === '@xstate.microstep') seen(inspected._transitions);
    },
  });
  return () => subscription.unsubscribe();
}

type Scope = ActorScope<RunSnapshot, RunEvent>;

function step(move: (scope: Scope) => RunSnapshot): Step {
  const lines: Line[] = [];
  const nothing = () => {};
  const snapshot = move({
    self: inert,
    system: inert.system,
    id: '',
    sessionId: '',
    logger: nothing,
    defer: nothing,
    stopChild: nothing,
    emit: nothing,
    actionExecutor({ type, params }) {
      if (type === 'log') lines.push(params as Line);
    },
  });
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
