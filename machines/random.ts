/**
 * A pure pseudo-random step (mulberry32): the machine may not draw, so it carries a seed.
 * Returns a number in [0, 1) and the next seed.
 */
export function draw(seed: number): { value: number; seed: number } {
  const next = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(next ^ (next >>> 15), next | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return { value: ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32, seed: next };
}
