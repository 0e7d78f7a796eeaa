import type { JournalRecord } from '../../src/journal/record.ts';
import { ENDS } from './judge.ts';

/** What simulations have reached. */
export interface Coverage {
  /** Runs that have ended. */
  runs: number;
  /** `from event to`. */
  transitions: Set<string>;
  /** `fault state`: the state of a node's run when a fault hit it. */
  faults: Set<string>;
  record(before: string, record: JournalRecord): void;
  fault(kind: string, state: string): void;
}

export function createCoverage(): Coverage {
  const transitions = new Set<string>();
  const faults = new Set<string>();
  const coverage: Coverage = {
    runs: 0,
    transitions,
    faults,
    record(before, record) {
      const type = 'event' in record ? record.event.type : 'start';
      transitions.add(`${'event' in record ? before : ''} ${type} ${record.state}`);
      if (ENDS.has(record.state)) coverage.runs += 1;
    },
    fault: (kind, state) => void faults.add(`${kind} ${state}`),
  };
  return coverage;
}
