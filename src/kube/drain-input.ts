import type { Disruption, RunEvent } from '../../machines/events.ts';
import type { KubeClient } from './client.ts';
import type { WatchClock } from './clock.ts';

export type DrainInput = { node: string } & Pick<
  Disruption,
  'gracePeriodS' | 'podSelector' | 'skipWaitForDeleteTimeoutS'
>;

/** What a drain works with. Once `signal` is aborted nobody is told anything. */
export interface Drain {
  client: KubeClient;
  input: DrainInput;
  /** Its time is ms since the epoch. */
  clock: WatchClock;
  signal: AbortSignal;
  /** Runs a request when few enough are under way. */
  limit<T>(request: () => Promise<T>): Promise<T>;
  emit(event: RunEvent): void;
  warn(message: string): void;
}

/** The drain can never succeed: one line on what is in its way. */
export class DrainError extends Error {}

export const BACKOFF_FIRST_MS = 1_000;
export const BACKOFF_MAX_MS = 30_000;
