import { type Result, simulate } from './fleet.ts';
import type { NodePlan, Plan } from './plan.ts';

const TRIALS_MAX = 400;

export interface Shrunk {
  plan: Plan;
  trials: number;
}

/**
 * The smallest plan found that still violates the same invariant: less steps, nodes, oddities and
 * time. Every try is a simulation of its own.
 */
export async function shrink(plan: Plan, invariant: number): Promise<Shrunk> {
  let best = plan;
  let trials = 0;
  const fails = async (candidate: Plan): Promise<boolean> => {
    trials += 1;
    return (await attempt(candidate))?.violations[0]?.invariant === invariant;
  };
  const tryAll = async (candidates: (from: Plan) => Plan[]): Promise<boolean> => {
    let hasShrunk = false;
    for (let index = 0; trials < TRIALS_MAX; ) {
      const candidate = candidates(best)[index];
      if (candidate === undefined) return hasShrunk;
      if (await fails(candidate)) {
        best = candidate;
        hasShrunk = true;
      } else index += 1;
    }
    return hasShrunk;
  };
  for (;;) {
    const before = JSON.stringify(best);
    for (const candidates of [fewerSteps, fewerNodes, plainerNodes, plainerPlans]) {
      await tryAll(candidates);
    }
    if (trials >= TRIALS_MAX || JSON.stringify(best) === before) return { plan: best, trials };
  }
}

/** A plan that makes no sense any more fails in other ways; it is no smaller failure. */
async function attempt(plan: Plan): Promise<Result | null> {
  try {
    return await simulate(plan);
  } catch {
    return null;
  }
}

/** Large pieces first. */
function fewerSteps(plan: Plan): Plan[] {
  const { steps } = plan;
  const without = (from: number, count: number) => ({
    ...plan,
    steps: steps.filter((_, index) => index < from || index >= from + count),
  });
  const half = Math.ceil(steps.length / 2);
  return [
    ...(steps.length > 3 ? [without(0, half), without(half, half)] : []),
    ...steps.map((_, index) => without(index, 1)),
  ];
}

function fewerNodes(plan: Plan): Plan[] {
  return plan.nodes.length < 2
    ? []
    : plan.nodes.map(({ name }) => ({
        ...plan,
        nodes: plan.nodes.filter((node) => node.name !== name),
        steps: plan.steps.filter(
          (step) => step.in?.node !== name && (!('node' in step) || step.node !== name),
        ),
      }));
}

type Plainer<T> = { [Key in keyof T]?: T[Key] | undefined };

/** undefined: not there, as in most plans. */
const PLAIN: Plainer<NodePlan>[] = [
  { program: 'ours' },
  { upgrade: 'ok' },
  { isRebootDue: false },
  { rebootFailure: null },
  { bootMs: 2_000 },
  { upgradeMs: 2_000 },
  { skewMs: 0 },
  { outputLines: undefined },
  { isRebootUnknown: undefined },
  { rebootDue: undefined },
  { arguments: undefined },
];

function plainerNodes(plan: Plan): Plan[] {
  return plan.nodes.flatMap((node) =>
    PLAIN.map((plain) => ({ ...node, ...plain }) as NodePlan)
      .filter((plainer) => JSON.stringify(plainer) !== JSON.stringify(node))
      .map((plainer) => ({
        ...plan,
        nodes: plan.nodes.map((one) => (one === node ? plainer : one)),
      })),
  );
}

function plainerPlans(plan: Plan): Plan[] {
  const plainer: Plainer<Plan>[] = [
    { hardWindow: false },
    { isNative: undefined },
    { drainTimeoutMs: undefined },
    { rebootTimeoutMs: undefined },
    { drainBefore: 'reboot' },
    { drain: false },
    { reboot: false },
    { windowMs: plan.periodMs },
    { faultyMs: Math.max(60_000, Math.floor(plan.faultyMs / 2)) },
  ];
  return plainer
    .map((one) => ({ ...plan, ...one }) as Plan)
    .filter((one) => JSON.stringify(one) !== JSON.stringify(plan));
}
