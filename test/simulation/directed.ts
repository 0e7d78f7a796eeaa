import { createRandom } from '../../src/rehearsal/random.ts';
import { NO_RUN } from './judge.ts';
import { drawPlan, type Fate, type Plan, type Size, type Step, type StepKind } from './plan.ts';

/** A seed in which a node's run comes to a state while faults still come. */
export interface Base {
  seed: number;
  size: Size;
  node: string;
  atMs: number;
  /** What its simulation costs. */
  requests: number;
}

/** A fault that is wanted in a state, and where to have it there; the first that is so is enough. */
export interface Aim {
  fault: string;
  state: string;
  bases: Base[];
}

/** Where the lock is still held, and all is done. */
export const RELEASING = 'releasing.get';

/** How long faults may go on behind the aimed one. */
const AFTER_MS = 60_000;
/** Without a run: before the first tick of any plan. */
const BEFORE_RUNS_MS = 1_000;

/** The base's plan as far as the state, and there the fault. */
export function directedPlan({ fault, state }: Aim, { seed, size, node, atMs }: Base): Plan {
  const plan = drawPlan(seed, size);
  const random = createRandom(seed, `${fault}, ${state}`);
  const isCrash = fault.startsWith('crash');
  const isBeforeRuns = state === NO_RUN;
  const faultyMs = isBeforeRuns ? plan.faultyMs : Math.min(plan.faultyMs, atMs + AFTER_MS);
  const step: Step = {
    ...faultStep(fault, node, state, random.pick([3_000, 20_000])),
    ...(isCrash || isBeforeRuns ? {} : { in: { node, state } }),
    atMs: isBeforeRuns && !isCrash ? BEFORE_RUNS_MS : 0,
  };
  // Without a run there is only the lock of a lost journal to be put right.
  const lost: Step[] =
    isBeforeRuns && isCrash
      ? [{ kind: 'wipe', atMs: 0, node, downMs: 1_000, in: { node, state: RELEASING } }]
      : [];
  const before = plan.steps.filter((one) => one.atMs <= faultyMs);
  return { ...plan, faultyMs, steps: [step, ...lost, ...before] };
}

function faultStep(fault: string, node: string, state: string, forMs: number): Step {
  const crash = /^crash-(before|after)-(record|effect)(-power)?$/.exec(fault);
  if (crash) {
    const [, side, at, power] = crash as unknown as [
      0,
      'before' | 'after',
      'record' | 'effect',
      string?,
    ];
    const isPower = power !== undefined;
    return { kind: 'crash', atMs: 0, node, downMs: 1_000, isPower, at, side, nth: 1, state };
  }
  if (fault.startsWith('requests-')) {
    const fate = fault.slice('requests-'.length) as Fate;
    return { kind: 'requests', atMs: 0, node, forMs, fate, share: 1 };
  }
  const kind = fault as Exclude<StepKind, 'crash' | 'requests'>;
  switch (kind) {
    case 'kill':
    case 'stop':
    case 'power':
    case 'wipe':
      return { kind, atMs: 0, node, downMs: 1_000 };
    case 'outage':
      return { kind, atMs: 0, forMs };
    case 'lag':
      return { kind, atMs: 0, forMs, lagMs: 2_000 };
    case 'touch':
      return { kind, atMs: 0, forMs: 2_000, everyMs: 20 };
    case 'jump':
      return { kind, atMs: 0, node, byMs: 300_000 };
    case 'cordon':
    case 'lock-take':
    case 'delete-node':
    case 'block':
      return { kind, atMs: 0, node, forMs };
    default:
      return { kind, atMs: 0 };
  }
}
