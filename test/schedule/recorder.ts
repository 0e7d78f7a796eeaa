import { parseSchedule } from '../../src/schedule/schedule.ts';
import { startTicker, type Ticker } from '../../src/schedule/ticker.ts';
import { utc } from './ticks.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface Recorded {
  ticker: Ticker;
  /** `run 2026-01-01T00:05Z`, `busy …`, `missed …` in their order. */
  calls: string[];
  /** When they were made, by the wall clock. */
  calledMs: number[];
  state: { isBusy: boolean };
}

/** A ticker whose calls are written down. */
export function record(clock: VirtualClock, text: string, zone: string, windowMs = 0): Recorded {
  const calls: string[] = [];
  const calledMs: number[] = [];
  const state = { isBusy: false };
  const note = (what: string) => (tickMs: number) => {
    calls.push(`${what} ${utc(tickMs)}`);
    calledMs.push(clock.nowMs());
  };
  const ticker = startTicker({
    schedule: parseSchedule(text, zone),
    clock,
    windowMs,
    isBusy: () => state.isBusy,
    onTick: note('run'),
    onBusy: note('busy'),
    onMissed: note('missed'),
  });
  return { ticker, calls, calledMs, state };
}
