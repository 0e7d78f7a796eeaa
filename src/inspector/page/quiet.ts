import { countWhile } from './halving.ts';
import type { History, Item, RecordItem } from './history.ts';
import { phaseOf } from './states.ts';

/** A stretch of time, ms since the epoch. */
export interface Span {
  fromMs: number;
  toMs: number;
}

/** All the time of a history, and what of it can be left out. */
export interface Course extends Span {
  /** Long times in which nothing happens, in their order. */
  gaps: readonly Span[];
}

/** Events nearer to each other than this belong together. */
const NEAR_MS = 60_000;
/** Within a run, which has a state to show all the while, only longer ones are left out. */
const LONG_WAIT_MS = 3_600_000;
/** So much longer than everything else such a wait has to be. */
const WAIT_TIMES = 4;
const AT_REST = new Set(['interrupted', 'done', 'failed', 'stopped']);

/** When nothing happened, on the common axis of all streams; follows a growing history. */
export class Quiet {
  readonly #history: History;
  /** Times with events, without longer pauses; in their order, none touches the next. */
  readonly #spells: Span[] = [];
  /** Times in which a run was under way without an event. */
  readonly #waits: Span[] = [];
  #next = 0;
  #course: Course = { fromMs: 0, toMs: 0, gaps: [] };

  constructor(history: History) {
    this.#history = history;
  }

  /** Up to the newest row; the same object as before where nothing has come. */
  extend(): Course {
    const { items } = this.#history;
    if (this.#next === items.length) return this.#course;
    for (; this.#next < items.length; this.#next += 1) this.#take(items[this.#next] as Item);
    const [first, last] = [this.#spells[0], this.#spells.at(-1)];
    if (!first || !last) return this.#course;
    this.#course = { fromMs: first.fromMs, toMs: last.toMs, gaps: this.#gaps() };
    return this.#course;
  }

  #take({ row, atMs, stream, position, run }: Item): void {
    if (row.kind === 'divergence') return;
    this.#cover(atMs);
    const before = stream?.items[position - 1];
    if (before && before.run === run && atMs - before.atMs > NEAR_MS && isUnderWay(before)) {
      this.#waits.push({ fromMs: before.atMs, toMs: atMs });
    }
  }

  #cover(atMs: number): void {
    const spells = this.#spells;
    // From behind: what comes is new, mostly.
    let at = spells.length - 1;
    while (at >= 0 && (spells[at] as Span).fromMs > atMs + NEAR_MS) at -= 1;
    const near = spells[at];
    if (!near || atMs > near.toMs + NEAR_MS) {
      spells.splice(at + 1, 0, { fromMs: atMs, toMs: atMs });
      return;
    }
    near.fromMs = Math.min(near.fromMs, atMs);
    near.toMs = Math.max(near.toMs, atMs);
    const before = spells[at - 1];
    if (before && near.fromMs - before.toMs <= NEAR_MS) {
      before.toMs = Math.max(before.toMs, near.toMs);
      spells.splice(at, 1);
    }
  }

  #gaps(): Span[] {
    const isWait = waitedThrough(this.#waits);
    const all = this.#spells.slice(1).map(({ fromMs }, index) => ({
      fromMs: (this.#spells[index] as Span).toMs,
      toMs: fromMs,
    }));
    const waits = all.filter(isWait);
    const long = waits.filter((gap) => lengthOf(gap) >= LONG_WAIT_MS);
    const restMs = sum(this.#spells) + sum(waits) - sum(long);
    const cutWaits = new Set(long.filter((gap) => lengthOf(gap) > WAIT_TIMES * restMs));
    const idle = new Set(all.filter((gap) => !isWait(gap)));
    const longestMs = longestBusyMs(this.#spells, all, idle, cutWaits);
    return all.filter(
      (gap) => cutWaits.has(gap) || (idle.has(gap) && lengthOf(gap) > longestMs / 2),
    );
  }
}

function isUnderWay({ row }: RecordItem): boolean {
  return !AT_REST.has(phaseOf(row.record.state));
}

/** Whether a run was under way in a time without events. */
function waitedThrough(waits: readonly Span[]): (gap: Span) => boolean {
  const sorted = waits.toSorted((one, other) => one.fromMs - other.fromMs);
  let latestMs = Number.NEGATIVE_INFINITY;
  const untilMs = sorted.map(({ toMs }) => {
    latestMs = Math.max(latestMs, toMs);
    return latestMs;
  });
  return ({ fromMs, toMs }) => {
    const begun = countWhile(sorted, (wait) => wait.fromMs <= fromMs);
    return (untilMs[begun - 1] ?? Number.NEGATIVE_INFINITY) >= toMs;
  };
}

/** The longest time from one idle gap to the next, without the waits that are left out. */
function longestBusyMs(
  spells: readonly Span[],
  all: readonly Span[],
  idle: ReadonlySet<Span>,
  cut: ReadonlySet<Span>,
): number {
  let [longestMs, busyMs] = [0, 0];
  for (const [index, spell] of spells.entries()) {
    busyMs += lengthOf(spell);
    longestMs = Math.max(longestMs, busyMs);
    const gap = all[index];
    if (!gap || cut.has(gap)) continue;
    busyMs = idle.has(gap) ? 0 : busyMs + lengthOf(gap);
  }
  return longestMs;
}

export function lengthOf({ fromMs, toMs }: Span): number {
  return toMs - fromMs;
}

export function overlapMs(one: Span, other: Span): number {
  return Math.max(0, Math.min(one.toMs, other.toMs) - Math.max(one.fromMs, other.fromMs));
}

function sum(spans: readonly Span[]): number {
  return spans.reduce((ms, span) => ms + lengthOf(span), 0);
}
