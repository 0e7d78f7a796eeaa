/**
 * How many items from the first on `holds` is true for, by halving: it has to be true up to some
 * item and false from there on.
 */
export function countWhile<One>(items: readonly One[], holds: (item: One) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(items[middle] as One)) low = middle + 1;
    else high = middle;
  }
  return low;
}
