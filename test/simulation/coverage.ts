import type { RunSnapshot } from '../../machines/fold.ts';
import type { JournalRecord } from '../../src/journal/record.ts';
import { ENDS } from './judge.ts';
import { begin, follow } from './transitions.ts';

/** What simulations have reached. */
export interface Coverage {
  /** Runs that have ended. */
  runs: number;
  /** By the names of `TRANSITIONS`. */
  transitions: Set<string>;
  /** `fault, state`: the state of a node's run when a fault hit it. */
  faults: Set<string>;
  /** A process begins, with what its journal says. */
  begin(node: string, snapshot: RunSnapshot | null): void;
  record(node: string, record: JournalRecord): void;
  fault(kind: string, state: string): void;
}

export function createCoverage(): Coverage {
  const transitions = new Set<string>();
  const faults = new Set<string>();
  const snapshots = new Map<string, RunSnapshot | null>();
  const coverage: Coverage = {
    runs: 0,
    transitions,
    faults,
    begin: (node, snapshot) => void snapshots.set(node, snapshot),
    record(node, record) {
      if (ENDS.has(record.state)) coverage.runs += 1;
      const before = snapshots.get(node);
      // A record without a run is the judge's to find.
      if (!before && !('input' in record)) return;
      const { taken, next } =
        'input' in record ? begin(record.input) : follow(before as RunSnapshot, record.event);
      for (const name of taken) transitions.add(name);
      snapshots.set(node, next);
    },
    fault: (kind, state) => void faults.add(`${kind}, ${state}`),
  };
  return coverage;
}
