import type { History, Item } from './history.ts';

/** Who held the lock, from one moment to another. */
export interface Hold {
  holder: string;
  fromMs: number;
  toMs: number;
}

/** Who held the lock when, out of what all nodes have read and written; follows a growing history. */
export class LockBand {
  readonly holds: Hold[] = [];
  readonly #history: History;
  #next = 0;
  #version = 0;
  #holder = '';

  constructor(history: History) {
    this.#history = history;
  }

  /** Up to the newest row. */
  extend(): readonly Hold[] {
    const { items } = this.#history;
    for (; this.#next < items.length; this.#next += 1) this.#take(items[this.#next] as Item);
    return this.holds;
  }

  #take({ row, atMs, node, run }: Item): void {
    const current = this.#holder === '' ? undefined : this.holds.at(-1);
    if (current) current.toMs = Math.max(current.toMs, atMs);
    if (row.kind !== 'record' || run?.input.daemonSet === '') return;
    const { record } = row;
    if ('event' in record && 'lock' in record.event) {
      const { value, resourceVersion } = record.event.lock;
      const version = Number(resourceVersion);
      // A watch or a read may come late: what is newer is known already.
      if (resourceVersion !== '' && version < this.#version) return;
      this.#version = Math.max(this.#version, version || 0);
      this.#hold(value, atMs);
    } else if (record.state.startsWith('locked.') && this.#holder === '') {
      this.#hold(node, atMs);
    }
  }

  #hold(holder: string, atMs: number): void {
    if (holder === this.#holder) return;
    this.#holder = holder;
    if (holder !== '') this.holds.push({ holder, fromMs: atMs, toMs: atMs });
  }
}

/** The longest holder other than `node` in a time, with its share in ms; null where there was none. */
export function blockerOf(
  holds: readonly Hold[],
  node: string,
  fromMs: number,
  toMs: number,
): { holder: string; ms: number } | null {
  const shares = new Map<string, number>();
  for (const hold of holds) {
    const ms = Math.min(hold.toMs, toMs) - Math.max(hold.fromMs, fromMs);
    if (hold.holder !== node && ms > 0)
      shares.set(hold.holder, (shares.get(hold.holder) ?? 0) + ms);
  }
  const [longest] = [...shares].sort(([, one], [, other]) => other - one);
  return longest ? { holder: longest[0], ms: longest[1] } : null;
}
