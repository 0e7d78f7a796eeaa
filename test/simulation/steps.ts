import * as cluster from '../../src/rehearsal/cluster.ts';
import { type Fleet, START_MS } from './fleet.ts';
import { block, cordon, deleteNode, STRANGER, setLock } from './hands.ts';
import { FATES, STEP_KINDS, type Step, type StepKind } from './plan.ts';

/** Does `undo` after a while, but not later than the faults end. */
export type Later = (forMs: number, undo: () => void) => void;

type Apply<Kind extends StepKind> = (
  fleet: Fleet,
  step: Extract<Step, { kind: Kind }>,
  later: Later,
) => void;

const APPLY: { [Kind in StepKind]: Apply<Kind> } = {
  kill: ({ nodes }, { node, downMs }) => nodes.get(node)?.kill(downMs),
  stop: ({ nodes }, { node, downMs }) => nodes.get(node)?.stop(downMs),
  power: ({ nodes }, { node, downMs }) => nodes.get(node)?.losePower(downMs),
  wipe: ({ nodes }, { node, downMs }) => nodes.get(node)?.wipe(downMs),
  crash: ({ nodes }, step) => nodes.get(step.node)?.crashAt(step, step.isPower, step.downMs),
  jump: ({ nodes }, { node, byMs }) => nodes.get(node)?.jump(byMs),
  outage({ wire }, { forMs }, later) {
    wire.isDown = true;
    wire.dropWatches(true);
    later(forMs, () => {
      wire.isDown = false;
    });
  },
  requests({ wire }, { node, fate, share, forMs }, later) {
    const one = { node, fate, share };
    wire.fates.push(one);
    later(forMs, () => {
      wire.fates = wire.fates.filter((other) => other !== one);
    });
  },
  drop: ({ api }) => api.dropWatches(),
  gone({ api }) {
    cluster.touchDaemonSet(api.store);
    api.store.compact();
    api.dropWatches();
  },
  freeze: ({ wire }) => wire.freezeWatches(),
  lag({ wire }, { lagMs, forMs }, later) {
    wire.lagMs = lagMs;
    later(forMs, () => {
      wire.lagMs = 0;
    });
  },
  touch({ api, clock }, { everyMs, forMs }, later) {
    let isOver = false;
    const again = () => {
      if (isOver) return;
      cluster.touchDaemonSet(api.store);
      clock.setTimeout(again, everyMs);
    };
    later(forMs, () => {
      isOver = true;
    });
    again();
  },
  cordon: (fleet, { node, forMs }, later) => cordon(fleet, node, (undo) => later(forMs, undo)),
  'lock-clear': (fleet) => setLock(fleet, null),
  'lock-take'(fleet, { forMs }, later) {
    setLock(fleet, STRANGER);
    later(forMs, () => {
      if (cluster.lockHolder(fleet.api.store) === STRANGER) setLock(fleet, null);
    });
  },
  'delete-node': (fleet, { node, forMs }, later) =>
    deleteNode(fleet, node, (undo) => later(forMs, undo)),
  block: (fleet, { node, forMs }, later) => block(fleet, node, (undo) => later(forMs, undo)),
};

/** Sets the timers of all that goes wrong. */
export function applySteps(fleet: Fleet): void {
  const { plan, clock, judge } = fleet;
  for (const step of plan.steps) {
    clock.setTimeout(() => (step.in ? fleet.aimed.push(step) : apply(fleet, step)), step.atMs);
  }
  clock.setTimeout(() => {
    fleet.history.tell('', 'from now on everything works');
    judge.faultsOver();
  }, plan.faultyMs);
}

/** A node's run is in another state now: what waits for that happens behind whatever it starts. */
export function enterState(fleet: Fleet, node: string, state: string): void {
  const due = fleet.aimed.filter((step) => step.in?.node === node && step.in.state === state);
  if (due.length === 0 || fleet.judge.isHealed()) return;
  fleet.aimed = fleet.aimed.filter((step) => !due.includes(step));
  for (const step of due) {
    fleet.clock.setTimeout(() => {
      if (!fleet.judge.isHealed()) apply(fleet, step);
    }, 0);
  }
}

function apply(fleet: Fleet, step: Step): void {
  const { clock, coverage, judge, nodes, history, plan } = fleet;
  const target = 'node' in step ? step.node : null;
  history.tell(target ?? '', `! ${describeStep(step)}`);
  for (const name of target === null ? nodes.keys() : [target]) {
    if (step.kind !== 'crash') coverage.fault(faultName(step), judge.stateOf(name));
  }
  const leftMs = Math.max(0, START_MS + plan.faultyMs - clock.nowMs() - 1);
  const run = APPLY[step.kind] as Apply<StepKind>;
  run(fleet, step, (forMs, undo) => void clock.setTimeout(undo, Math.min(forMs, leftMs)));
}

/** All kinds of faults, as coverage counts them. */
export const FAULTS: readonly string[] = [
  ...STEP_KINDS.filter((kind) => kind !== 'crash' && kind !== 'requests'),
  ...['forbidden', ...FATES].map((fate) => `requests-${fate}`),
  ...['before', 'after'].flatMap((side) =>
    ['record', 'effect'].flatMap((at) => [`crash-${side}-${at}`, `crash-${side}-${at}-power`]),
  ),
];

export function faultName(step: Step): string {
  return step.kind === 'requests' ? `requests-${step.fate}` : step.kind;
}

/** `kill downMs=10`. */
export function describeStep({ atMs: _, in: __, ...step }: Step): string {
  return Object.entries(step)
    .filter(([key]) => key !== 'node')
    .map(([key, value]) => (key === 'kind' ? value : `${key}=${value}`))
    .join(' ');
}
