import type { History, Item, Stream } from './history.ts';

/** Who held a lock, from one moment to another. */
export interface Hold {
  holder: string;
  fromMs: number;
  /** As far as is known, where it was not given back. */
  toMs: number;
  isOver: boolean;
}

/** The nodes that share a lock. */
export interface LockGroup {
  /** `namespace/name` of the DaemonSet, or '' of those that need no lock. */
  lock: string;
  streams: Stream[];
  holds: readonly Hold[];
}

/** Who held which lock when, out of what all nodes have read and written; follows a growing history. */
export class LockBands {
  readonly #history: History;
  readonly #bands = new Map<string, Band>();
  #next = 0;

  constructor(history: History) {
    this.#history = history;
  }

  /** Up to the newest row: the nodes by the lock of their last run, with its holders. */
  groups(): LockGroup[] {
    const { items, streams } = this.#history;
    for (; this.#next < items.length; this.#next += 1) {
      const item = items[this.#next] as Item;
      const lock = item.stream && lockOf(item.stream, item);
      if (lock) this.#bandOf(lock).take(item);
    }
    const groups = new Map<string, LockGroup>();
    for (const stream of streams.values()) {
      const lock = lockOf(stream);
      const group = groups.get(lock) ?? { lock, streams: [], holds: this.#bandOf(lock).holds };
      groups.set(lock, group);
      group.streams.push(stream);
    }
    return [...groups.values()];
  }

  /** The holders of the lock that a run takes. */
  holdsOf(item: Item): readonly Hold[] {
    return item.stream ? this.#bandOf(lockOf(item.stream, item)).holds : [];
  }

  #bandOf(lock: string): Band {
    const band = this.#bands.get(lock) ?? new Band();
    this.#bands.set(lock, band);
    return band;
  }
}

/** Ahead of its first run, a stream is taken for what that run is. */
function lockOf({ runs }: Stream, item?: Item): string {
  const run = item ? (item.run ?? runs[0]) : runs.at(-1);
  if (!run) return '?';
  const { namespace, daemonSet } = run.input;
  return daemonSet === '' ? '' : `${namespace}/${daemonSet}`;
}

class Band {
  readonly holds: Hold[] = [];
  #version = 0;
  #holder = '';

  take({ row, atMs, node }: Item): void {
    const current = this.#holder === '' ? undefined : this.holds.at(-1);
    if (current) current.toMs = Math.max(current.toMs, atMs);
    if (row.kind !== 'record') return;
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
    const before = this.holds.at(-1);
    if (before) before.isOver = true;
    this.#holder = holder;
    if (holder !== '') this.holds.push({ holder, fromMs: atMs, toMs: atMs, isOver: false });
  }
}

/** Who held a lock at a time; null: nobody, as far as is known. */
export function holdAt(holds: readonly Hold[], atMs: number): Hold | null {
  const hold = holds.findLast(({ fromMs }) => fromMs <= atMs);
  return hold && (atMs < hold.toMs || (!hold.isOver && atMs === hold.toMs)) ? hold : null;
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
