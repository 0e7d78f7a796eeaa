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
  record(record: JournalRecord): void;
  fault(kind: string, state: string): void;
  /** The simulation is over: what other ones take is not of this one. */
  close(): void;
}

export function createCoverage(): Coverage {
  const transitions = new Set<string>();
  const faults = new Set<string>();
  const coverage: Coverage = {
    runs: 0,
    transitions,
    faults,
    record({ state }) {
      if (ENDS.has(state)) coverage.runs += 1;
    },
    fault: (kind, state) => void faults.add(`${kind}, ${state}`),
    close: watchTransitions(transitions),
  };
  return coverage;
}
