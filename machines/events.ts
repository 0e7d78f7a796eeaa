import type { LockObject } from './lock.ts';

/**
 * Facts from outside the machine, in the past tense. Plain data only: each event is one
 * journal record and must survive JSON.
 */
export type RunEvent =
  | { type: 'lock.read'; lock: LockObject }
  | { type: 'lock.updated'; lock: LockObject }
  | { type: 'lock.conflicted'; message: string }
  | { type: 'lock.changed'; lock: LockObject }
  /** A watch that ended by itself (server timeout, 410, closed stream, deletion): read again at once. */
  | { type: 'lock.watch.ended'; message: string }
  /** A request that failed or was never answered. `code` is the HTTP status, where one came. */
  | { type: 'api.failed'; message: string; code?: number }
  | { type: 'spread.elapsed' }
  | { type: 'conflict.elapsed' }
  | { type: 'standby.elapsed' }
  | { type: 'backoff.elapsed' }
  | { type: 'deadline.reached' }
  | { type: 'stop.requested' }
  /** The process that ran this run is gone: written by the next one, which found the run unfinished. */
  | { type: 'run.interrupted' }
  /** The run goes on in a new process; `deadlineInMs` is what is left of the window. */
  | { type: 'run.resumed'; deadlineInMs: number | null }
  /** One line of the upgrade's output. */
  | { type: 'upgrade.output'; text: string }
  | { type: 'upgrade.finished'; status: HostStatus }
  | { type: 'upgrade.failed'; status: HostStatus; message: string }
  | { type: 'node.reported' };

/** What the host said after an upgrade, in the words of the condition line. */
export interface HostStatus {
  rebootRequired: boolean;
  /** The rest of the status as the trace shows it: since, message and output. */
  detail: string;
  /** When the reboot became required: ms since the epoch. Here and below: not in a text log. */
  sinceMs?: number;
  /** What the host says of the required reboot. */
  rebootMessage?: string;
  /** The end of the upgrade's output. */
  output?: string;
  /** When the host booted: ms since the epoch. */
  bootMs?: number;
}

/** Whole input of a run; the first record of its journal. */
export interface RunInput {
  /** The node's name: the value this node writes into the lock. */
  node: string;
  namespace: string;
  /** '' in native mode: no Kubernetes, and so no lock. */
  daemonSet: string;
  /** The lock is this node's and its upgrade still runs, though no journal tells of a run. */
  adopt: boolean;
  /** Deadline for having the lock in ms after the start; null: none. */
  deadlineInMs: number | null;
  /** How many nodes may wake at once when the lock comes free. */
  nodes: number;
  /** Seed of the run's jitters, so that a replay draws the same ones. */
  seed: number;
}
