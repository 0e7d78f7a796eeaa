/**
 * A schedule whose next tick is `inMs` from now, on the full second, and the one after it decades
 * later: `@every` ticks at the multiples of its period since 1970, and the period is the tick.
 */
export function tickIn(nowMs: number, inMs: number): string {
  return `@every ${Math.ceil((nowMs + inMs) / 1_000)}s`;
}
