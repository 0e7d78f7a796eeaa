import { type Axis, axisOf, pannedSpan, xOf, zoomedSpan } from './axis.ts';
import type { History, RecordItem, Run } from './history.ts';
import { type Course, lengthOf, Quiet, type Span } from './quiet.ts';

/** `all` and `run` follow what comes; a range stays until an event outside of it is selected. */
type Choice = { kind: 'all' } | { kind: 'run' } | ({ kind: 'range' } & Span);

/** The deadline as it is drawn: beyond the end where it lies far behind everything else. */
export interface DeadlineMark {
  atMs: number;
  isBeyond: boolean;
}

/** For what has no width of its own; ranges hardly depend on it. */
const NOMINAL_PX = 1_000;

/** Which time is shown, in all views that have a scale of time. Tells `onChange` of a person's wish. */
export class ShownTime {
  /** Long times in which nothing happens are left out. */
  isCut = true;
  #choice: Choice = { kind: 'all' };
  #history: History | null = null;
  #quiet: Quiet | null = null;
  #moment: { index: number; atMs: number; run: Run | null } | null = null;
  #deadlineMs: number | null = null;
  readonly #axes = new Map<number, { of: string; course: Course; axis: Axis }>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Takes in what is there now; an event that is selected newly is brought into sight. */
  follow(history: History, moment: RecordItem | null, deadlineMs: number | null): void {
    if (history !== this.#history) {
      this.#history = history;
      this.#quiet = new Quiet(history);
      this.#choice = { kind: 'all' };
      this.#moment = null;
    }
    const isNew = moment?.index !== this.#moment?.index;
    this.#moment = moment;
    this.#deadlineMs = deadlineMs;
    if (!isNew || !moment || this.#choice.kind !== 'range') return;
    const axis = this.axis(NOMINAL_PX);
    const x = xOf(moment.atMs, axis);
    if (x >= 0 && x <= axis.widthPx) return;
    this.#choice = { kind: 'range', ...pannedSpan(axis, x - axis.widthPx / 2) };
  }

  get kind(): Choice['kind'] {
    return this.#choice.kind;
  }

  /** What can be left out of all there is. */
  get gaps(): readonly Span[] {
    return this.#quiet?.extend().gaps ?? [];
  }

  /** The deadline of the run that is looked at. */
  get deadline(): DeadlineMark | null {
    if (this.#deadlineMs === null) return null;
    const { fromMs, toMs } = this.#span();
    return {
      atMs: this.#deadlineMs,
      isBeyond: this.#deadlineMs > toMs || this.#deadlineMs < fromMs,
    };
  }

  /** The axis over a width; the same object as before where nothing has changed. */
  axis(widthPx: number): Axis {
    const course = this.#course();
    const { fromMs, toMs } = this.#span();
    const of = `${fromMs} ${toMs} ${course.toMs} ${this.isCut}`;
    const known = this.#axes.get(widthPx);
    if (known && known.of === of && known.course.gaps === course.gaps) return known.axis;
    const axis = axisOf({ fromMs, toMs }, course, widthPx);
    if (this.#axes.size > 4) this.#axes.clear();
    this.#axes.set(widthPx, { of, course, axis });
    return axis;
  }

  all(): void {
    this.#choose({ kind: 'all' });
  }

  /** The run of the selected event, and of those that are selected next. */
  run(): void {
    this.#choose({ kind: 'run' });
  }

  cut(isCut: boolean): void {
    this.isCut = isCut;
    this.#onChange();
  }

  /** Zooms by `factor` around an x of an axis; without one, around the selected event. */
  zoom(factor: number, axis = this.axis(NOMINAL_PX), x = this.#momentX(axis)): void {
    const span = zoomedSpan(axis, factor, x);
    const { fromMs, toMs } = this.#course();
    const isAll = span.fromMs <= fromMs && span.toMs >= toMs;
    this.#choose(isAll ? { kind: 'all' } : { kind: 'range', ...span });
  }

  /** Moves on by so many px of an axis; back where negative. */
  pan(byPx: number, axis = this.axis(NOMINAL_PX)): void {
    const span = pannedSpan(axis, byPx);
    if (span.fromMs !== axis.fromMs) this.#choose({ kind: 'range', ...span });
  }

  /** Moves by a quarter of what is shown: -1 to what was earlier, 1 to what was later. */
  turn(by: -1 | 1): void {
    this.pan((by * NOMINAL_PX) / 4);
  }

  #choose(choice: Choice): void {
    this.#choice = choice;
    this.#onChange();
  }

  #momentX(axis: Axis): number {
    const x = this.#moment ? xOf(this.#moment.atMs, axis) : -1;
    // At the ends of what is shown it may be off by a rounding.
    return x >= -1 && x <= axis.widthPx + 1
      ? Math.min(axis.widthPx, Math.max(0, x))
      : axis.widthPx / 2;
  }

  /** All the time there is, up to a deadline that is near. */
  #course(): Course {
    const { fromMs, toMs, gaps } = this.#quiet?.extend() ?? { fromMs: 0, toMs: 0, gaps: [] };
    const busyMs = gaps.reduce((ms, gap) => ms - lengthOf(gap), toMs - fromMs);
    return {
      fromMs,
      toMs: upToNear(toMs, this.#deadlineMs, busyMs),
      gaps: this.isCut ? gaps : NONE,
    };
  }

  #span(): Span {
    if (this.#choice.kind === 'range') return this.#choice;
    const run = this.#moment?.run;
    if (this.#choice.kind === 'all' || !run) return this.#course();
    const { fromMs, toMs } = spanOf(run);
    return { fromMs, toMs: upToNear(toMs, this.#deadlineMs, toMs - fromMs) };
  }
}

const NONE: readonly Span[] = [];

function upToNear(toMs: number, deadlineMs: number | null, lengthMs: number): number {
  return deadlineMs !== null && deadlineMs <= toMs + lengthMs / 2
    ? Math.max(toMs, deadlineMs)
    : toMs;
}

const spans = new WeakMap<Run, Span & { end: number }>();

/** From a run's earliest to its latest record: clocks may have been set in between. */
function spanOf(run: Run): Span {
  const known = spans.get(run);
  let { fromMs, toMs, end } = known ?? {
    fromMs: Number.POSITIVE_INFINITY,
    toMs: Number.NEGATIVE_INFINITY,
    end: run.begin - 1,
  };
  for (; end < run.end; end += 1) {
    const { atMs } = run.stream.items[end + 1] as RecordItem;
    fromMs = Math.min(fromMs, atMs);
    toMs = Math.max(toMs, atMs);
  }
  spans.set(run, { fromMs, toMs, end });
  return { fromMs, toMs };
}
