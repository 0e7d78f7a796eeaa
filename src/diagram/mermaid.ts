import { type MachineModel, machineModel, type StateModel } from './model.ts';

/** The run machine as a Mermaid state diagram, made from the machine itself. */
export function mermaid(model: MachineModel = machineModel()): string {
  return `${['stateDiagram-v2', ...inside(model, '', model.initial, 1)].join('\n')}\n`;
}

function inside(model: MachineModel, parent: string, initial: string, depth: number): string[] {
  const pad = '  '.repeat(depth);
  const children = model.states.filter((state) => state.parent === parent);
  return [
    ...(initial === '' ? [] : [`${pad}[*] --> ${name(initial)}`]),
    ...children.flatMap((child) => box(model, child, depth)),
    ...children.flatMap(({ id }) => arrows(model, id, pad)),
  ];
}

function box(model: MachineModel, { id, key, kind, initial }: StateModel, depth: number): string[] {
  const pad = '  '.repeat(depth);
  if (kind === 'compound') {
    const content = inside(model, id, initial, depth + 1);
    return [`${pad}state "${key}" as ${name(id)} {`, ...content, `${pad}}`];
  }
  const end = kind === 'final' ? [`${pad}${name(id)} --> [*]`] : [];
  return [`${pad}${name(id)} : ${key}`, ...end];
}

function arrows({ transitions }: MachineModel, from: string, pad: string): string[] {
  return transitions
    .filter((transition) => transition.from === from)
    .map(({ to, events }) => `${pad}${name(from)} --> ${name(to)} : ${labelOf(events)}`);
}

/** The events of an arrow, as people read them. */
export function labelOf(events: readonly string[]): string {
  return events.map((event) => (event === '' ? 'always' : event)).join(', ');
}

/** Mermaid knows no dots in names. */
function name(id: string): string {
  return id.replaceAll('.', '_');
}
