import { machineModel } from '../../src/diagram/model.ts';
import { createRandom, type Random } from '../../src/rehearsal/random.ts';
import type { NodePlan, Plan, Step } from './plan.ts';

/** Of the plans, those with something odd in them. */
const ODD_SHARE = 0.2;
/** Of the steps of an aimed plan, those that wait for a state. */
const AIMED_SHARE = 0.35;

const STATES = machineModel()
  .states.filter(({ kind }) => kind === 'atomic')
  .map(({ id }) => id);

/** With what is seldom so in a fleet, for a share of the seeds; the others stay as they are. */
export function withOddities(plan: Plan): Plan {
  const random = createRandom(plan.seed, 'oddities');
  if (random.next() >= ODD_SHARE) return plan;
  const first = random.pick(ODDITIES);
  const second = random.next() < 0.5 ? random.pick(ODDITIES) : null;
  const odd = first(plan, random);
  return second === null || second === first ? odd : second(odd, random);
}

/** Some of the steps wait for a state, which is drawn too. */
export function withAims(plan: Plan): Plan {
  const random = createRandom(plan.seed, 'aims');
  const { drain, reboot, nodes, faultyMs } = plan;
  const names = nodes.filter(({ program }) => program === 'ours').map(({ name }) => name);
  const states = STATES.filter(
    (state) => (drain || !/drain/.test(state)) && (reboot || !/reboot|undoing/.test(state)),
  );
  const steps = plan.steps.map((step): Step => {
    if (random.next() >= AIMED_SHARE) return step;
    const node = 'node' in step && step.node !== null ? step.node : random.pick(names);
    const atMs = random.between(0, faultyMs / 2);
    return { ...step, atMs, in: { node, state: random.pick(states) } };
  });
  return { ...plan, steps: steps.toSorted((one, other) => one.atMs - other.atMs) };
}

type Oddity = (plan: Plan, random: Random) => Plan;

const eachNode =
  (odd: (node: NodePlan, random: Random) => Partial<NodePlan>): Oddity =>
  (plan, random) => ({
    ...plan,
    nodes: plan.nodes.map((node) => ({ ...node, ...odd(node, random) })),
  });

/** A node of its own, which everything hits. */
const alone: Oddity = (plan) => {
  const [node] = plan.nodes;
  if (!node) return plan;
  const steps = plan.steps.map((step): Step => {
    if (!('node' in step) || step.node === null) return step;
    return { ...step, node: node.name };
  });
  return { ...plan, nodes: [node], steps };
};

const ODDITIES: readonly Oddity[] = [
  alone,
  (plan) => ({
    ...plan,
    isNative: true,
    nodes: plan.nodes.map((node) => ({ ...node, program: 'ours' as const })),
  }),
  (plan, random) => ({
    ...plan,
    drain: true,
    drainTimeoutMs: random.pick([500, 3_000, 20_000]),
  }),
  // Longer than a host takes from the request to its end: else it goes down behind its release.
  (plan, random) => ({
    ...plan,
    reboot: true,
    rebootTimeoutMs: random.pick([2_000, 20_000]),
    nodes: plan.nodes.map((node) => ({
      ...node,
      rebootFailure: random.pick(['silent', 'stuck', node.rebootFailure] as const),
    })),
  }),
  eachNode((_, random) => ({ outputLines: random.between(1, 5) })),
  eachNode((_, random) => ({ isRebootUnknown: random.next() < 0.5 })),
  (plan, random) => ({
    ...plan,
    reboot: true,
    nodes: plan.nodes.map((node) => ({
      ...node,
      isRebootDue: true,
      rebootDue: random.pick(['again', 'stubborn'] as const),
    })),
  }),
  (plan, random) => ({
    ...plan,
    reboot: true,
    drain: true,
    nodes: plan.nodes.map((node) => ({
      ...node,
      arguments: [{}, random.pick([{ reboot: false }, { drain: false }])],
    })),
  }),
];
