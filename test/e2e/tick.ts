/** Longer than any test, so that there is one tick and no second one. */
const PERIOD_MIN_S = 1_800;
const PERIOD_MAX_S = 1_000_000;

/**
 * A schedule whose next tick is `inMs` from now or little more, and the one after it much later:
 * `@every` ticks at the multiples of its period since 1970, so the period is a divisor of the tick.
 */
export function tickIn(nowMs: number, inMs: number): string {
  for (let tickS = Math.ceil((nowMs + inMs) / 1_000); ; tickS += 1) {
    for (let periodS = PERIOD_MIN_S; periodS <= PERIOD_MAX_S; periodS += 1) {
      if (tickS % periodS === 0) return `@every ${periodS}s`;
    }
  }
}
