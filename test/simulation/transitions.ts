import type { AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { onTransitions } from '../../machines/fold.ts';
import { runMachine } from '../../machines/run.ts';
import { guardName } from '../../src/inspector/page/guards.ts';

/** Every transition of the run machine by its definition: `acquiring.get lock.read [isFree] -> acquiring.update`. */
const NAMES = nameAll();

/** Their names, in the order of the machine. */
export const TRANSITIONS: readonly string[] = [...NAMES.values()];

/**
 * Adds the names of the transitions that runs take, in this process, until what it returns is
 * called. A fold takes none that were not taken before it.
 */
export function watchTransitions(into: Set<string>): () => void {
  return onTransitions((definitions) => {
    for (const definition of definitions) into.add(nameOf(definition));
  });
}

/** A machine that was given its actors has definitions of its own; they keep their places. */
const known = new WeakMap<AnyTransitionDefinition, string>();

function nameOf(definition: AnyTransitionDefinition): string {
  const found = known.get(definition);
  if (found !== undefined) return found;
  const { source, eventType } = definition;
  const group = eventType === '' ? source.always : source.transitions.get(eventType);
  const name = NAMES.get(placeOf(source, eventType, group?.indexOf(definition) ?? -1));
  if (name === undefined) throw new Error(`a transition without a name: ${source.id} ${eventType}`);
  known.set(definition, name);
  return name;
}

function placeOf(node: AnyStateNode, type: string, index: number): string {
  return `${node.id} ${type} ${index}`;
}

function nameAll(): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const add = (
    node: AnyStateNode,
    type: string,
    definitions: readonly AnyTransitionDefinition[],
  ) => {
    for (const [index, { guard, target }] of definitions.entries()) {
      const name = [
        node.path.join('.') || '(anywhere)',
        type === '' ? 'at once' : type,
        ...(guard === undefined ? [] : [`[${guardName(guard)}]`]),
        '->',
        target?.map((one) => one.path.join('.')).join(' ') ?? 'as it is',
      ].join(' ');
      names.set(placeOf(node, type, index), taken.has(name) ? `${name} (${names.size})` : name);
      taken.add(name);
    }
  };
  const walk = (node: AnyStateNode): void => {
    for (const [type, definitions] of node.transitions) add(node, type, definitions);
    if (node.always) add(node, '', node.always);
    for (const child of Object.values(node.states)) walk(child);
  };
  walk(runMachine.root as AnyStateNode);
  return names;
}
