import { type RunSnapshot, stateName } from '../../machines/fold.ts';
import type { Combined } from './combine.ts';
import { type Entry, judge } from './ledger.ts';
import type { Count } from './network.ts';

/** A node at the end of a rollout; times in ms of virtual time. */
export interface NodeOutcome extends Count {
  node: string;
  /** 1 for the first holder; null for who never held the lock. */
  order: number | null;
  /** From the tick to the lock, or to the end of a run that never got it. */
  waitedMs: number;
  heldMs: number;
  state: string;
  /** Why the run failed, or null. */
  error: string | null;
  rebootRequired: boolean;
  isRebooted: boolean;
}

export interface Outcome {
  /** By order; who never held the lock comes last. */
  nodes: NodeOutcome[];
  handOffsMs: number[];
  /** What must not happen, one line each; none: the rollout went as it has to. */
  violations: string[];
  durationMs: number;
}

/** How a node's run was found at the end. */
export interface Ended {
  node: string;
  snapshot: RunSnapshot | null;
  atMs: number;
  count: Count;
}

/** What came of a rollout that ticked at `tickMs`. */
export function outcome(
  runs: Ended[],
  entries: Entry[],
  faults: Combined,
  tickMs: number,
  endMs: number,
): Outcome {
  const { holds, handOffsMs, violations } = judge(entries, faults.isGone);
  const first = [...new Set(holds.map(({ node }) => node))];
  const nodes = runs.map(({ node, snapshot, atMs, count }): NodeOutcome => {
    const own = holds.filter((hold) => hold.node === node);
    const order = first.indexOf(node) + 1;
    return {
      node,
      ...count,
      order: order === 0 ? null : order,
      waitedMs: (own[0]?.fromMs ?? atMs) - tickMs,
      heldMs: own.reduce((sum, { fromMs, untilMs }) => sum + (untilMs ?? endMs) - fromMs, 0),
      state: snapshot ? stateName(snapshot.value) : 'not started',
      error: snapshot?.context.error ?? null,
      rebootRequired: snapshot?.context.status?.rebootRequired ?? false,
      isRebooted: (snapshot?.context.rebooted ?? null) !== null,
    };
  });
  const last = Number.POSITIVE_INFINITY;
  return {
    nodes: nodes.toSorted((one, other) => (one.order ?? last) - (other.order ?? last) || 0),
    handOffsMs,
    violations: [...violations, ...nodes.flatMap((node) => unexpected(node, faults))],
    durationMs: endMs - tickMs,
  };
}

function unexpected({ node, state, error }: NodeOutcome, faults: Combined): string[] {
  if (state === 'done')
    return faults.mustFail(node) ? [`${node} is done, though its upgrade fails`] : [];
  if (state !== 'failed' && faults.isGone(node)) return [];
  if (state !== 'failed') return [`${node} has not ended: ${state}`];
  return faults.mayFail(node, error ?? '') ? [] : [`${node} failed: ${error}`];
}
