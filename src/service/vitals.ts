import type { RunSnapshot } from '../../machines/fold.ts';
import type { JournalRecord } from '../journal/record.ts';
import type { Schedule } from '../schedule/schedule.ts';
import type { Health } from './health.ts';
import { followRun, healthContext, healthOf } from './health-words.ts';

/** Follows what the process does, for its probes. */
export interface Vitals {
  state(): Health;
  /** The start is over. */
  connected(): void;
  onRecord(record: JournalRecord): void;
  follow(runner: { snapshot(): RunSnapshot | null }): void;
}

export function watchHealth({
  isConnected,
  schedule,
}: {
  isConnected: boolean;
  schedule: Schedule | null;
}): Vitals {
  let context = healthContext(Date.now(), isConnected);
  let runner: { snapshot(): RunSnapshot | null } = { snapshot: () => null };
  return {
    state() {
      const nextRunMs = schedule?.next(Date.now()) ?? null;
      return healthOf(runner.snapshot(), { ...context, nextRunMs });
    },
    connected() {
      context = { ...context, isConnected: true, sinceMs: Date.now() };
    },
    onRecord(record) {
      context = followRun(context, record);
    },
    follow(of) {
      runner = of;
    },
  };
}
