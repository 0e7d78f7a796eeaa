import { type History, type Item, labelOf, stateOf } from './history.ts';

/** What the timeline is narrowed down to; '' is everything. */
export interface Filter {
  type: string;
  node: string;
  /** In a line, an event's type or a state; upper and lower case are one. */
  text: string;
}

export const EVERYTHING: Filter = { type: '', node: '', text: '' };

export function isEverything({ type, node, text }: Filter): boolean {
  return type === '' && node === '' && text === '';
}

/** The places of the rows that pass, from `from` on. */
export function passing(
  { items }: History,
  filter: Filter,
  linesAt: (index: number) => readonly string[] | undefined,
  from = 0,
): number[] {
  const wanted = { ...filter, text: filter.text.trim().toLowerCase() };
  const found: number[] = [];
  for (let index = from; index < items.length; index += 1) {
    if (passes(items[index] as Item, wanted, linesAt)) found.push(index);
  }
  return found;
}

function passes(
  item: Item,
  { type, node, text }: Filter,
  linesAt: (index: number) => readonly string[] | undefined,
): boolean {
  if (node !== '' && item.node !== node) return false;
  const label = labelOf(item);
  if (type !== '' && label !== type) return false;
  if (text === '') return true;
  const { row } = item;
  const lines = row.kind === 'record' ? (linesAt(item.index) ?? [payload(item)]) : [];
  const remark = row.kind === 'note' ? row.text : row.kind === 'divergence' ? row.message : '';
  return [label, stateOf(item), remark, ...lines].some((one) => one.toLowerCase().includes(text));
}

/** What an event carries stands for its lines until these are known. */
function payload({ row }: Item): string {
  return row.kind === 'record' && 'event' in row.record ? JSON.stringify(row.record.event) : '';
}
