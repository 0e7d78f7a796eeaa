import { type Fold, type FoldStep, foldRecord, isRefusal, type Refusal } from './fold-record.ts';
import type { RecordItem, Stream } from './history.ts';
import { Recent } from './recent.ts';

export const CHECKPOINT_EVERY = 250;
const RECENT_STEPS = 1_024;

/** Where a stream's history breaks. */
export type Break = Refusal & { position: number };

/**
 * Folds where somebody looks: from the run's beginning, from a fold kept every 250 records, or from
 * one that was just shown. What the verifier has found broken is refused from there on.
 */
export class Folder {
  readonly #recent = new Recent<number, FoldStep>(RECENT_STEPS);
  readonly #checkpoints = new Map<Stream, Map<number, Fold>>();
  readonly #breaks = new Map<Stream, Break>();

  /** What the record did, or why its history has broken by then. */
  stepAt(item: RecordItem): FoldStep | string {
    const known = this.#recent.get(item.index);
    if (known) return known;
    const { stream, run, position } = item;
    const broken = this.#breaks.get(stream);
    if (broken && broken.position <= position) return broken.message;
    if (run === null) return 'its run began before this history does';
    const base = this.#baseOf(item, run.begin);
    let { fold } = base;
    for (let at = base.next; at < position; at += 1) {
      const step = this.#step(fold, stream.items[at] as RecordItem);
      if (typeof step === 'string') return step;
      fold = step.fold;
    }
    return this.#step(fold, item);
  }

  /** The fold of the record ahead in the same run; null where there is none. */
  foldBefore(item: RecordItem): Fold | null {
    if (item.run === null || item.position === item.run.begin) return null;
    const step = this.stepAt(item.stream.items[item.position - 1] as RecordItem);
    return typeof step === 'string' ? null : step.fold;
  }

  /** Where a stream's history breaks, as far as that is known. */
  breakOf(stream: Stream): Break | null {
    return this.#breaks.get(stream) ?? null;
  }

  keep({ stream, position }: RecordItem, fold: Fold): void {
    if (position % CHECKPOINT_EVERY !== 0) return;
    const kept = this.#checkpoints.get(stream) ?? new Map<number, Fold>();
    this.#checkpoints.set(stream, kept);
    kept.set(position, fold);
  }

  refuse({ stream, position }: RecordItem, refusal: Refusal): void {
    const known = this.#breaks.get(stream);
    if (!known || known.position > position) this.#breaks.set(stream, { position, ...refusal });
  }

  #step(before: Fold | null, item: RecordItem): FoldStep | string {
    const step = foldRecord(before, item.row);
    if (isRefusal(step)) {
      this.refuse(item, step);
      return step.message;
    }
    this.keep(item, step.fold);
    this.#recent.set(item.index, step);
    return step;
  }

  #baseOf({ stream, position }: RecordItem, begin: number): { fold: Fold | null; next: number } {
    const kept = this.#checkpoints.get(stream);
    for (let at = position - 1; at >= begin; at -= 1) {
      const item = stream.items[at] as RecordItem;
      const fold = this.#recent.get(item.index)?.fold ?? kept?.get(at);
      if (fold) return { fold, next: at + 1 };
    }
    return { fold: null, next: begin };
  }
}
