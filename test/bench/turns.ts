/** One node's turn, in ms of the machine's monotonic clock, which is the same in all processes. */
export interface Turn {
  node: string;
  /** The acquire was answered. */
  lockedAtMs: number;
  /** The release was about to be sent. */
  releasingAtMs: number;
  /** The release was answered. */
  doneAtMs: number;
}

export interface Turns {
  /** The nodes in the order in which they held the lock. */
  order: string[];
  /** How often a node held it before another one had given it back. */
  overlaps: number;
  /** From one node's release to the next one's acquire, both as answered, ms, in that order. */
  handOffsMs: number[];
}

export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** What the turns of one rollout amount to. */
export function judgeTurns(turns: readonly Turn[]): Turns {
  const sorted = [...turns].sort((a, b) => a.lockedAtMs - b.lockedAtMs);
  const pairs = sorted.slice(1).map((next, index) => ({ before: sorted[index] as Turn, next }));
  return {
    order: sorted.map(({ node }) => node),
    overlaps: pairs.filter(({ before, next }) => next.lockedAtMs < before.releasingAtMs).length,
    // The answer of a release may come after the next node already has the lock.
    handOffsMs: pairs.map(({ before, next }) => Math.max(0, next.lockedAtMs - before.doneAtMs)),
  };
}

/** The value below which `share` (0 to 1) of the values lie; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
