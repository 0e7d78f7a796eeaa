import { draw } from '../../machines/random.ts';

/** A stream of pseudo-random numbers: the same for the same seed and label. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  pick<T>(values: readonly T[]): T;
}

/**
 * Streams of different labels do not touch each other: what one part of a rehearsal draws, or
 * draws no longer, changes nothing for the others.
 */
export function createRandom(seed: number, label: string): Random {
  let state = hash(`${seed} ${label}`);
  const next = () => {
    const drawn = draw(state);
    state = drawn.seed;
    return drawn.value;
  };
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    pick: (values) => {
      const value = values[between(0, values.length - 1)];
      if (value === undefined) throw new Error('there is nothing to pick from');
      return value;
    },
  };
}

/** A seed out of a text (FNV-1a, 32 bits). */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
  return value >>> 0;
}
