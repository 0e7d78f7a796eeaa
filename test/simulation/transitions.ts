import {
  type AnyMachineSnapshot,
  type AnyStateNode,
  getInitialMicrosteps,
  getMicrosteps,
} from 'xstate';
import type { RunEvent, RunInput } from '../../machines/events.ts';
import type { RunSnapshot } from '../../machines/fold.ts';
import { runMachine } from '../../machines/run.ts';
import { guardName, guardVerdict } from '../../src/inspector/page/guards.ts';

type Definition = NonNullable<AnyStateNode['always']>[number];

/** Every transition of the run machine by its definition: `acquiring.get lock.read [isFree] -> acquiring.update`. */
const NAMES = nameAll();

/** Their names, in the order of the machine. */
export const TRANSITIONS: readonly string[] = [...NAMES.values()];

export interface Followed {
  taken: string[];
  next: RunSnapshot;
}

/** The transitions that a run begins with, and the snapshot behind them. */
export function begin(input: RunInput): Followed {
  const [[first] = [], ...more] = getInitialMicrosteps(runMachine, input);
  if (!first) throw new Error('a run without a beginning');
  return along([], first, more, { type: 'xstate.init' });
}

/** The transitions that an event takes, and the snapshot behind them. */
export function follow(snapshot: RunSnapshot, event: RunEvent): Followed {
  const before = snapshot as AnyMachineSnapshot;
  const taken = (before.machine.getTransitionData(before, event) as Definition[]).map(nameOf);
  const [[first] = [snapshot], ...more] = getMicrosteps(runMachine, snapshot, event);
  return along(taken, first, more, event);
}

/** Behind the first one there are only those that are taken at once. */
function along(
  taken: string[],
  first: RunSnapshot,
  more: ReturnType<typeof getMicrosteps<typeof runMachine>>,
  event: { type: string },
): Followed {
  let next = first;
  for (const [step] of more) {
    taken.push(atOnce(next, event));
    next = step;
  }
  return { taken, next };
}

/** Of the innermost state that has any, the first that holds. */
function atOnce(snapshot: RunSnapshot, event: { type: string }): string {
  const nodes = ((snapshot as AnyMachineSnapshot)._nodes as AnyStateNode[]).toSorted(
    (one, other) => other.path.length - one.path.length,
  );
  for (const node of nodes) {
    const found = node.always?.find(
      ({ guard }) => guardVerdict(guard, snapshot, event.type, event as RunEvent) === 'holds',
    );
    if (found) return nameOf(found);
  }
  throw new Error(`nothing is taken at once in ${JSON.stringify(snapshot.value)}`);
}

function nameOf(definition: Definition): string {
  const name = NAMES.get(definition);
  if (name === undefined) throw new Error('a transition of another machine');
  return name;
}

function nameAll(): Map<Definition, string> {
  const names = new Map<Definition, string>();
  const known = new Set<string>();
  const add = (node: AnyStateNode, type: string, definitions: readonly Definition[]) => {
    for (const definition of definitions) {
      const { guard, target } = definition;
      const name = [
        node.path.join('.') || '(anywhere)',
        type,
        ...(guard === undefined ? [] : [`[${guardName(guard)}]`]),
        '->',
        target?.map((one) => one.path.join('.')).join(' ') ?? 'as it is',
      ].join(' ');
      const isTwin = known.has(name);
      names.set(definition, isTwin ? `${name} (${names.size})` : name);
      known.add(name);
    }
  };
  const walk = (node: AnyStateNode): void => {
    for (const [type, definitions] of node.transitions) add(node, type, definitions);
    if (node.always) add(node, 'at once', node.always);
    for (const child of Object.values(node.states)) walk(child);
  };
  walk(runMachine.root as AnyStateNode);
  return names;
}
