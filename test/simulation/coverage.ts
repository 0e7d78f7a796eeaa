import type { JournalRecord } from '../../src/journal/record.ts';
import { ENDS } from './judge.ts';
import { watchTransitions } from './transitions.ts';

/** What simulations have reached. */
export interface Coverage {
  /** Runs that have ended. */
  runs: number;
  /** By the names of `TRANSITIONS`. */
  transitions: Set<string>;
  /** `fault, state`: the state of a node's run when a fault hit it. */
  faults: Set<string>;
  /** Which node's run was first in a state and stayed there for a while, and since when. */
  visits: Map<string, Visit>;
  record(record: JournalRecord, node: string): void;
  fault(kind: string, state: string): void;
  /** The simulation is over: what other ones take is not of this one. */
  close(): void;
}

/** `atMs`: since the beginning. */
export interface Visit {
  node: string;
  atMs: number;
}

export function createCoverage(nowMs: () => number): Coverage {
  const transitions = new Set<string>();
  const faults = new Set<string>();
  const visits = new Map<string, Visit>();
  const latest = new Map<string, { state: string; atMs: number }>();
  const coverage: Coverage = {
    runs: 0,
    transitions,
    faults,
    visits,
    record({ state }, node) {
      const atMs = nowMs();
      const before = latest.get(node);
      if (before && before.atMs < atMs && !visits.has(before.state)) {
        visits.set(before.state, { node, atMs: before.atMs });
      }
      latest.set(node, { state, atMs });
      if (ENDS.has(state)) coverage.runs += 1;
    },
    fault: (kind, state) => void faults.add(`${kind}, ${state}`),
    close: watchTransitions(transitions),
  };
  return coverage;
}
