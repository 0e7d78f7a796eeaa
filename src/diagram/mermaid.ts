import type { AnyStateNode } from 'xstate';
import { runMachine } from '../../machines/run.ts';

/** The run machine as a Mermaid state diagram, made from the machine itself. */
export function mermaid(): string {
  const lines = ['stateDiagram-v2', ...inside(runMachine.root as AnyStateNode, 1)];
  return `${lines.join('\n')}\n`;
}

function inside(node: AnyStateNode, depth: number): string[] {
  const pad = '  '.repeat(depth);
  const initial = node.initial?.target[0];
  const lines = initial ? [`${pad}[*] --> ${idOf(initial)}`] : [];
  for (const child of Object.values(node.states)) {
    if (Object.keys(child.states).length > 0) {
      lines.push(`${pad}state "${child.key}" as ${idOf(child)} {`);
      lines.push(...inside(child, depth + 1), `${pad}}`);
    } else {
      lines.push(`${pad}${idOf(child)} : ${child.key}`);
    }
    if (child.type === 'final') lines.push(`${pad}${idOf(child)} --> [*]`);
  }
  for (const child of Object.values(node.states)) lines.push(...transitions(child, pad));
  return lines;
}

/** One arrow for each pair of states, with all the events that take it. */
function transitions(node: AnyStateNode, pad: string): string[] {
  const arrows = new Map<string, string[]>();
  const all = [...node.transitions.values(), ...(node.always ? [node.always] : [])].flat();
  for (const { eventType, target } of all) {
    // Interruption leads from everywhere to one state: as arrows it would hide the rest.
    if (eventType === 'run.interrupted') continue;
    for (const to of target ?? []) {
      const label = eventType === '' ? 'always' : eventType;
      arrows.set(idOf(to), [...new Set([...(arrows.get(idOf(to)) ?? []), label])]);
    }
  }
  return [...arrows].map(([to, labels]) => `${pad}${idOf(node)} --> ${to} : ${labels.join(', ')}`);
}

function idOf(node: AnyStateNode): string {
  return node.path.join('_');
}
