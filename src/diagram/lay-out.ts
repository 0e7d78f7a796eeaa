import Elk from 'elkjs/lib/elk.bundled.js';
import type { ELK, ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import type { Box, Layout } from './layout.ts';
import type { MachineModel, StateModel } from './model.ts';

const CHAR_PX = 6.7;
const PADDING_PX = 10;
const TITLE_PX = 24;
/** Room for the name and, below it, a time of six characters in larger type. */
const STATE_HEIGHT_PX = 32;
const STATE_WIDTH_MIN_PX = 58;

const LAYERED = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  'elk.layered.spacing.nodeNodeBetweenLayers': '34',
  'elk.spacing.nodeNode': '10',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
};
/** For many states in a row: as a chain they would be several screens wide. */
const PACKED = {
  'elk.algorithm': 'rectpacking',
  'elk.aspectRatio': '1.7',
  'elk.spacing.nodeNode': '16',
};
const MANY = 8;

/**
 * Lays the machine out with ELK, each state's children by themselves: with all arrows between all
 * states at once it would be several screens wide. It fits a window of 1280 x 800.
 */
export async function layOut(model: MachineModel): Promise<Layout> {
  // The types declare a module, the file is its class.
  const elk: ELK = new (Elk as unknown as new () => ELK)();
  const laidOut = await elk.layout(graph(model, { id: '', key: '' }));
  return {
    width: Math.ceil(laidOut.width ?? 0),
    height: Math.ceil(laidOut.height ?? 0),
    boxes: boxesOf(laidOut, 0, 0).map(rounded),
  };
}

function graph(model: MachineModel, { id, key }: Pick<StateModel, 'id' | 'key'>): ElkNode {
  const children = model.states.filter((state) => state.parent === id);
  const name = id === '' ? 'machine' : id;
  if (children.length === 0) {
    const width = Math.max(STATE_WIDTH_MIN_PX, key.length * CHAR_PX + 2 * PADDING_PX);
    return { id: name, width, height: STATE_HEIGHT_PX };
  }
  const top = id === '' ? 0 : TITLE_PX + PADDING_PX;
  const padding = `[top=${top},left=${PADDING_PX},bottom=${PADDING_PX},right=${PADDING_PX}]`;
  return {
    id: name,
    layoutOptions: {
      ...(children.length > MANY ? PACKED : LAYERED),
      'elk.padding': padding,
    },
    children: children.map((child) => graph(model, child)),
    edges: edgesWithin(model, id),
  };
}

/** The arrows between the children of a state, also of what is inside them. */
function edgesWithin({ transitions }: MachineModel, parent: string): ElkExtendedEdge[] {
  const pairs = new Set<string>();
  for (const { from, to } of transitions) {
    const [one, other] = [childOf(parent, from), childOf(parent, to)];
    if (one !== null && other !== null && one !== other) pairs.add(`${one} ${other}`);
  }
  return [...pairs].map((pair) => {
    const [source = '', target = ''] = pair.split(' ');
    return { id: pair, sources: [source], targets: [target] };
  });
}

/** The child of `parent` that is, or is around, the state; null: none is. */
function childOf(parent: string, id: string): string | null {
  const prefix = parent === '' ? '' : `${parent}.`;
  if (!id.startsWith(prefix)) return null;
  return prefix + (id.slice(prefix.length).split('.')[0] ?? '');
}

function rounded({ id, x, y, width, height }: Box): Box {
  const [left, top, right, bottom] = [x, y, x + width, y + height].map(Math.round) as [
    number,
    number,
    number,
    number,
  ];
  return { id, x: left, y: top, width: right - left, height: bottom - top };
}

function boxesOf({ children = [] }: ElkNode, x: number, y: number): Box[] {
  return children.flatMap((one) => {
    const at = { x: x + (one.x ?? 0), y: y + (one.y ?? 0) };
    const box = { id: one.id, ...at, width: one.width ?? 0, height: one.height ?? 0 };
    return [box, ...boxesOf(one, at.x, at.y)];
  });
}
