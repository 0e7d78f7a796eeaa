/** The lock's words: pure, shared by the machine, the trace and the wire. */

export const LOCK_ANNOTATION = 'pharos-host-upgrades.kontena.io/lock';

/** What a lock value means to `node`. An empty value is a free lock. */
export type Verdict = 'free' | 'acquired' | 'locked';

export function verdict(value: string, node: string): Verdict {
  if (value === '') return 'free';
  return value === node ? 'acquired' : 'locked';
}

/** A lock as it was read: `value` is the holder's node name or ''. */
export interface LockObject {
  value: string;
  /** The object's resourceVersion; '' where a text log does not tell it. */
  resourceVersion: string;
  /** How many nodes the DaemonSet wants to run on, where that is known. */
  nodes?: number;
}
