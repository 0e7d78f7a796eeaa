import type { JournalRecord } from '../../src/journal/record.ts';
import type { VirtualClock } from '../../src/rehearsal/clock.ts';

/** One thing that happened; `record` where it is one of a run. */
export interface Entry {
  atMs: number;
  /** '' for what is the cluster's. */
  node: string;
  text: string;
  record?: JournalRecord;
}

export interface History {
  entries: Entry[];
  tell(node: string, text: string, record?: JournalRecord): void;
}

/** What happened, in order; only kept where somebody is going to read it. */
export function createHistory(clock: VirtualClock, isTold: boolean): History {
  const entries: Entry[] = [];
  return {
    entries,
    tell(node, text, record) {
      if (!isTold) return;
      entries.push({ atMs: clock.nowMs(), node, text, ...(record ? { record } : {}) });
    },
  };
}
