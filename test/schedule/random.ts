/** A seeded sequence of whole numbers, so that a failure comes again. */
export function randomFrom(seed: number) {
  let state = seed;
  return (from: number, to: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return from + Math.floor((state / 2 ** 32) * (to - from + 1));
  };
}

export type Random = ReturnType<typeof randomFrom>;
