import { type Condition, conditionsAfter } from './conditions.ts';
import { type Fold, foldRecord, isRefusal } from './fold-record.ts';
import type { Folder } from './folder.ts';
import type { History, RecordItem, Stream } from './history.ts';

/** How far a stream is verified. */
interface Progress {
  next: number;
  fold: Fold | null;
  isBroken: boolean;
  /** The conditions of the Node from each of these positions on. */
  conditions: { position: number; conditions: readonly Condition[] }[];
}

/**
 * Folds everything once, from the beginning, a slice at a time: finds where a history breaks,
 * and what only the whole of it tells (conditions outlive runs, and lines are searched for).
 */
export class Verifier {
  readonly #history: History;
  readonly #folder: Folder;
  readonly #progress = new Map<Stream, Progress>();
  readonly #lines: (readonly string[] | undefined)[] = [];
  #verified = 0;

  constructor(history: History, folder: Folder) {
    this.#history = history;
    this.#folder = folder;
  }

  /** How many records are verified, or passed over behind a break. */
  get verified(): number {
    return this.#verified;
  }

  /**
   * Goes on until `isOver`, first with the stream that is looked at. Returns whether something is
   * left to do.
   */
  work(isOver: () => boolean, first: Stream | null = null): boolean {
    const streams = [...(first ? [first] : []), ...this.#history.streams.values()];
    for (const stream of streams) {
      const progress = this.#progressOf(stream);
      while (progress.next < stream.items.length) {
        if (isOver()) return true;
        this.#verify(progress, stream.items[progress.next] as RecordItem);
      }
    }
    return false;
  }

  /** The Node's conditions behind a record; null while they are not known yet. */
  conditionsAt({ stream, position }: RecordItem): readonly Condition[] | null {
    const progress = this.#progress.get(stream);
    if (!progress || progress.next <= position) return null;
    const known = progress.conditions.findLast((change) => change.position <= position);
    return known?.conditions ?? [];
  }

  /** The lines that a record wrote; undefined while they are not known yet. */
  linesAt(index: number): readonly string[] | undefined {
    return this.#lines[index];
  }

  #progressOf(stream: Stream): Progress {
    const known = this.#progress.get(stream);
    if (known) return known;
    const progress: Progress = { next: 0, fold: null, isBroken: false, conditions: [] };
    this.#progress.set(stream, progress);
    return progress;
  }

  #verify(progress: Progress, item: RecordItem): void {
    progress.next += 1;
    this.#verified += 1;
    this.#lines[item.index] = [];
    if (progress.isBroken || item.run === null) return;
    const { record } = item.row;
    const step = foldRecord(progress.fold, item.row);
    if (isRefusal(step)) {
      progress.isBroken = true;
      this.#folder.refuse(item, step);
      return;
    }
    const before = progress.conditions.at(-1)?.conditions ?? [];
    const context = progress.fold?.snapshot.context ?? null;
    const conditions = conditionsAfter(before, context, step.from, record);
    if (conditions !== before) progress.conditions.push({ position: item.position, conditions });
    this.#lines[item.index] = step.lines;
    this.#folder.keep(item, step.fold);
    progress.fold = step.fold;
  }
}
