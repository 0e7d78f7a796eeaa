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
  | {
      type: 'run.resumed';
      deadlineInMs: number | null;
      boot?: Boot;
      /** What the new process may do; else as before. */
      disruption?: Disruption;
    }
  /** The deadline is over while the lock is held: nothing that disrupts begins any more. */
  | { type: 'window.closed' }
  /** One line of the upgrade's output. */
  | { type: 'upgrade.output'; text: string }
  | { type: 'upgrade.finished'; status: HostStatus }
  | { type: 'upgrade.failed'; status: HostStatus; message: string }
  | { type: 'node.reported' }
  /** Unschedulable from now on. `before`: it was so already, by somebody else, and stays so. */
  | { type: 'node.cordoned'; before: boolean }
  /** An eviction was accepted: the pod is on its way out. Pods are `namespace/name`. */
  | { type: 'pod.evicted'; pod: string }
  /** An eviction was refused for now. `budget`: the PodDisruptionBudget, where one refused it. */
  | { type: 'pod.blocked'; pod: string; budget: string | null; message: string; retryInMs: number }
  | { type: 'pod.gone'; pod: string }
  /** No pod is left that has to go. `output`: in the words of kubectl. */
  | { type: 'node.drained'; output: string }
  /** It can never succeed; the message is the run's error. */
  | { type: 'drain.failed'; message: string; output?: string }
  | { type: 'drain.expired' }
  /** `done`: there was a cordon of this program. */
  | { type: 'node.uncordoned'; done: boolean }
  /** The Node tells that its host is about to reboot. `at`: as the annotation has it, RFC 3339. */
  | { type: 'reboot.marked'; at: string; atMs: number }
  | { type: 'reboot.cleared' }
  /** The host was told to reboot; whether it does shows in its next boot. */
  | { type: 'reboot.requested' }
  /** The message is the run's error. */
  | { type: 'reboot.refused'; message: string }
  /** The host is still up. */
  | { type: 'reboot.expired' };

/** Which boot a host is in. `bootMs`: when it began, `atMs`: when that was asked. */
export interface Boot {
  bootId: string;
  bootMs: number;
  atMs: number;
}

/** What the host said after an upgrade, in the words of the condition line. */
export interface HostStatus {
  rebootRequired: boolean;
  /** Why nobody can say whether a reboot is required; then none is taken for required. */
  rebootUnknown?: string;
  /** Whether this upgrade has changed anything on the host; not given where that is not known. */
  changed?: boolean;
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

/** What a run may do to the node and its host beyond the upgrade; times 0: no limit. */
export interface Disruption {
  reboot: boolean;
  drain: boolean;
  drainBefore: 'reboot' | 'upgrade';
  /** Past the deadline nothing of this begins. */
  hardWindow: boolean;
  rebootTimeoutMs: number;
  drainTimeoutMs: number;
  /** null: the pod's own. */
  gracePeriodS: number | null;
  /** A label selector of the pods that are evicted; '': all. */
  podSelector: string;
  /** Pods deleted longer ago than this are not waited for; 0: all are. */
  skipWaitForDeleteTimeoutS: number;
}

/** What a run of an earlier process has left on the cluster, where no journal tells of it. */
export interface Leftover {
  isLocked: boolean;
  /** Cordoned by this program. */
  isCordoned: boolean;
  /**
   * The mark of a reboot. `bootId`: of the boot before, '' where the original wrote it. `leftMs`:
   * of the reboot timeout.
   */
  reboot: { at: string; atMs: number; bootId: string; leftMs: number } | null;
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
  /** Not given: the upgrade alone. */
  disruption?: Disruption;
  /** The boot that the host is in. */
  boot?: Boot;
  /** A reboot that an earlier run kept for the next window. */
  isRebootPending?: boolean;
  /** What the host said when it was last rebooted, where that led to the boot it is in. */
  lastReboot?: { bootId: string; cause: string; sinceMs?: number };
  leftover?: Leftover;
}
