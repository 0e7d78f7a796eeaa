/** A timer of virtual time; cancelled ones stay where they are until they come up. */
export interface Timer {
  dueMs: number;
  /** Breaks ties: timers due at the same time run in the order in which they were set. */
  order: number;
  run: (() => void) | null;
}

/** Timers, the next one first (a binary heap: a large fleet has thousands). */
export class TimerQueue {
  readonly #heap: Timer[] = [];

  push(timer: Timer): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(timer);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Timer;
      if (isBefore(above, timer)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = timer;
  }

  /** Takes out the next timer that is not cancelled. */
  pop(): Timer | undefined {
    for (;;) {
      const first = this.#heap[0];
      if (!first) return undefined;
      const last = this.#heap.pop() as Timer;
      if (this.#heap.length > 0) this.#sink(last);
      if (first.run !== null) return first;
    }
  }

  /** Puts `timer` in at the top, and down to where it belongs. */
  #sink(timer: Timer): void {
    const heap = this.#heap;
    let index = 0;
    for (;;) {
      const left = heap[2 * index + 1];
      const right = heap[2 * index + 2];
      if (!left) break;
      const isRight = right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (isBefore(timer, child)) break;
      heap[index] = child;
      index = 2 * index + (isRight ? 2 : 1);
    }
    heap[index] = timer;
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}
