/** Long work leaves whoever waits their turn this often. */
export const SLICE_MS = 12;
/** Whatever a clock says: no more steps than these are made at once. */
export const SLICE_STEPS_MAX = 2_000;

/** How long work makes room for others: what it waits for in between, and its clock. */
export interface Turns {
  /** Resolves when others have had their turn; rejects to end the work. */
  pause(): Promise<void>;
  /** In ms, from any moment on. */
  nowMs(): number;
}

/**
 * Drives a generator to its end, a slice at a time; `onPause` hears of each slice's last step.
 * Throws what the generator or a pause throws.
 */
export async function inSlices<Step, Result>(
  work: Generator<Step, Result>,
  turns: Turns,
  onPause: (last: Step) => void = () => {},
): Promise<Result> {
  for (;;) {
    const untilMs = turns.nowMs() + SLICE_MS;
    let step = work.next();
    for (let made = 1; !step.done && made < SLICE_STEPS_MAX; made += 1) {
      if (turns.nowMs() >= untilMs) break;
      step = work.next();
    }
    if (step.done) return step.value;
    onPause(step.value);
    await turns.pause();
  }
}
