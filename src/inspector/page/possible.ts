import type { AnyStateNode } from 'xstate';
import type { RunEvent } from '../../../machines/events.ts';
import type { RunSnapshot } from '../../../machines/fold.ts';
import { type Due, dueOf } from './due.ts';
import type { Fold } from './fold-record.ts';
import { guardName, guardVerdict, type Verdict } from './guards.ts';

/** One way that an event can be taken. */
export interface Candidate {
  /** '' where the state stays. */
  target: string;
  guard: string;
  verdict: Verdict;
  /** `taken`: this one, whatever else; `maybe`: if what stands before it is not. */
  outcome: 'taken' | 'maybe' | 'not';
}

/** An event that is possible at a moment, with all the ways it can be taken; the first that holds is. */
export interface Possibility {
  type: string;
  /** The active state that takes it, innermost first. */
  owner: string;
  candidates: Candidate[];
  due: Due | null;
}

/** What could come next. With `next`, the event that came: its guards are asked about that one. */
export function possibilities(fold: Fold, next: RunEvent | null): Possibility[] {
  const { snapshot } = fold;
  if (snapshot.status !== 'active') return [];
  const nodes = (snapshot._nodes as AnyStateNode[]).toSorted(
    (one, other) => other.path.length - one.path.length,
  );
  // What an inner state takes does not reach those around it.
  const before = new Map<string, Verdict>();
  return nodes.flatMap((node) =>
    [...node.transitions].map(([type]) => {
      const event = next?.type === type ? next : undefined;
      const found = candidatesOf(node, type, snapshot, event, before.get(type) ?? 'fails');
      before.set(type, found.before);
      const { candidates } = found;
      return { type, owner: node.path.join('.'), candidates, due: dueOf(type, fold) };
    }),
  );
}

/** `before`: the verdict on what comes ahead of these; given back with theirs. */
function candidatesOf(
  node: AnyStateNode,
  type: string,
  snapshot: RunSnapshot,
  event: RunEvent | undefined,
  ahead: Verdict,
): { candidates: Candidate[]; before: Verdict } {
  let before = ahead;
  const candidates = (node.transitions.get(type) ?? []).map(({ target, guard }) => {
    const verdict = guardVerdict(guard, snapshot, type, event);
    const outcome = outcomeOf(before, verdict);
    if (verdict !== 'fails' && before !== 'holds') before = verdict;
    const to = target?.map((one) => one.path.join('.')).join(' ') ?? '';
    return { target: to, guard: guardName(guard), verdict, outcome };
  });
  return { candidates, before };
}

function outcomeOf(before: Verdict, own: Verdict): Candidate['outcome'] {
  if (own === 'fails' || before === 'holds') return 'not';
  return before === 'fails' && own === 'holds' ? 'taken' : 'maybe';
}
