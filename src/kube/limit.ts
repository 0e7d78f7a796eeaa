/** At most `max` pieces of work at once; the others wait for their turn, in order. */
export function createLimit(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // Whoever waits takes this one's place.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
