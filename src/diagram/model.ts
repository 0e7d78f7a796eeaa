import type { AnyStateNode } from 'xstate';
import { runMachine } from '../../machines/run.ts';

/** A state of the run machine, as people see it. */
export interface StateModel {
  /** `locked.draining.evicting`, as journals name it. */
  id: string;
  key: string;
  /** The id of the state around it, or ''. */
  parent: string;
  kind: 'atomic' | 'compound' | 'final';
  /** The id of the state that is entered with it, or ''. */
  initial: string;
  description: string;
  /** The actors at work in it. */
  actors: string[];
  /** Its record is on the disk before its effect starts. */
  isEffect: boolean;
  /** A process that dies in it leaves the run to the next one. */
  isInterruptible: boolean;
}

/** All the events that lead from one state to another; '' are those that are taken at once. */
export interface TransitionModel {
  from: string;
  to: string;
  events: string[];
}

export interface MachineModel {
  initial: string;
  states: StateModel[];
  transitions: TransitionModel[];
}

/** The run machine as plain data, made from the machine itself. */
export function machineModel(): MachineModel {
  const root = runMachine.root as AnyStateNode;
  const nodes = descendants(root);
  return {
    initial: initialOf(root),
    states: nodes.map(stateModel),
    transitions: nodes.flatMap((node) =>
      [...arrowsOf(node)].map(([to, events]) => ({ from: idOf(node), to, events })),
    ),
  };
}

function descendants(node: AnyStateNode): AnyStateNode[] {
  return Object.values(node.states).flatMap((child) => [child, ...descendants(child)]);
}

function stateModel(node: AnyStateNode): StateModel {
  const isCompound = Object.keys(node.states).length > 0;
  return {
    id: idOf(node),
    key: node.key,
    parent: node.parent ? idOf(node.parent) : '',
    kind: node.type === 'final' ? 'final' : isCompound ? 'compound' : 'atomic',
    initial: initialOf(node),
    description: node.description ?? '',
    actors: node.invoke.map(({ src }) => String(src)),
    isEffect: node.tags.includes('effect'),
    isInterruptible: withParents(node).some((one) => one.transitions.has('run.interrupted')),
  };
}

function withParents(node: AnyStateNode): AnyStateNode[] {
  return node.parent ? [node, ...withParents(node.parent)] : [node];
}

function initialOf(node: AnyStateNode): string {
  const target = node.initial?.target[0];
  return target ? idOf(target) : '';
}

/**
 * One arrow for each target, with all the events that take it. Interruption leads from everywhere
 * to one state: as arrows it would hide the rest.
 */
export function arrowsOf(node: AnyStateNode): Map<string, string[]> {
  const arrows = new Map<string, string[]>();
  const all = [...node.transitions.values(), ...(node.always ? [node.always] : [])].flat();
  for (const { eventType, target } of all) {
    if (eventType === 'run.interrupted') continue;
    for (const to of target ?? []) {
      arrows.set(idOf(to), [...new Set([...(arrows.get(idOf(to)) ?? []), eventType])]);
    }
  }
  return arrows;
}

export function idOf(node: AnyStateNode): string {
  return node.path.join('.');
}
