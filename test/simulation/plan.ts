import { createRandom, type Random } from '../../src/rehearsal/random.ts';
import { withAims, withOddities } from './oddities.ts';

/**
 * All that a simulation is made of. It follows from a seed, and whatever is taken out of it is a
 * plan again: so a failing one can be shrunk. Times are virtual ms since the beginning.
 */
export interface Plan {
  seed: number;
  /** Faults come within this time; after it everything works. */
  faultyMs: number;
  periodMs: number;
  windowMs: number;
  reboot: boolean;
  drain: boolean;
  drainBefore: 'reboot' | 'upgrade';
  hardWindow: boolean;
  nodes: NodePlan[];
  steps: Step[];
  /** A large fleet where nothing goes wrong: there it shows what a rollout costs. */
  isCrowd: boolean;
  /** Without Kubernetes: each node for itself. */
  isNative?: boolean;
  /** Where not given, as the program has them. */
  drainTimeoutMs?: number;
  rebootTimeoutMs?: number;
}

/** What a process of a node is told otherwise than the others. */
export type Arguments = Partial<Pick<Plan, 'reboot' | 'drain' | 'drainBefore'>>;

export interface NodePlan {
  name: string;
  /** `original`: a node that still runs the program of 2018. */
  program: 'ours' | 'original';
  upgrade: 'ok' | 'fails';
  upgradeMs: number;
  isRebootDue: boolean;
  /** null: as told. `silent`: no answer, and nothing happens. `stuck`: nothing happens. `dead`: it never comes back. */
  rebootFailure: 'refused' | 'silent' | 'stuck' | 'dead' | null;
  bootMs: number;
  /** How far its clock is from the cluster's. */
  skewMs: number;
  /** How many lines an upgrade writes; none where not given. */
  outputLines?: number;
  /** The host cannot say whether a reboot is due. */
  isRebootUnknown?: boolean;
  /**
   * Where not given, one reboot is due once. `again`: each upgrade needs one. `stubborn`: it is
   * still due behind it, with nothing upgraded since.
   */
  rebootDue?: 'again' | 'stubborn';
  /** Its processes are told these, one after the other and round again. */
  arguments?: Arguments[];
}

/**
 * How a request fares. `lost`, `hangs-after`: it has been carried out; `late`: it will be, when
 * nobody waits for it any more. `forbidden`: as by a role that does not allow it.
 */
export type Fate =
  | 'forbidden'
  | 'refused'
  | 'reset'
  | 'lost'
  | 'late'
  | 'hangs-before'
  | 'hangs-after'
  | 'slow';

/** Those that seeds draw. */
export const FATES: readonly Fate[] = [
  'refused',
  'reset',
  'lost',
  'late',
  'hangs-before',
  'hangs-after',
  'slow',
];

/** Where a process dies: ahead of or behind a record, or a request or a call that changes something. */
export interface CrashPoint {
  at: 'record' | 'effect';
  side: 'before' | 'after';
  /** The how manieth from then on. */
  nth: number;
  /** Only those in this state of a run count. */
  state?: string;
}

/** What goes wrong, and when: at a time, or when the run of a node is next in a state from then on. */
export type Step = { atMs: number; in?: Moment } & (
  | { kind: 'kill'; node: string; downMs: number }
  | { kind: 'stop'; node: string; downMs: number }
  | { kind: 'power'; node: string; downMs: number }
  | { kind: 'wipe'; node: string; downMs: number }
  | ({ kind: 'crash'; node: string; downMs: number; isPower: boolean } & CrashPoint)
  | { kind: 'outage'; forMs: number }
  | { kind: 'requests'; node: string | null; forMs: number; fate: Fate; share: number }
  | { kind: 'drop' | 'gone' | 'freeze' }
  | { kind: 'lag'; forMs: number; lagMs: number }
  | { kind: 'touch'; forMs: number; everyMs: number }
  | { kind: 'jump'; node: string; byMs: number }
  | { kind: 'cordon'; node: string; forMs: number }
  | { kind: 'lock-clear' }
  | { kind: 'lock-take'; node: string; forMs: number }
  | { kind: 'delete-node'; node: string; forMs: number }
  | { kind: 'block'; node: string; forMs: number }
);

export interface Moment {
  node: string;
  state: string;
}

export type StepKind = Step['kind'];

export interface Size {
  nodes?: number | undefined;
  minutes?: number | undefined;
  /** Of each seed some faults wait for a state, not only of every fourth one. */
  isAimed?: boolean | undefined;
}

const MINUTE_MS = 60_000;

/** The plan of a seed: always the same. */
export function drawPlan(seed: number, size: Size = {}): Plan {
  const plan = drawCommon(seed, size);
  if (plan.isCrowd) return plan;
  const odd = withOddities(plan);
  return size.isAimed === true || seed % AIMED_EVERY === 0 ? withAims(odd) : odd;
}

/** By chance alone few faults ever hit the short states. */
const AIMED_EVERY = 4;

function drawCommon(seed: number, size: Size): Plan {
  const random = createRandom(seed, 'plan');
  if (size.nodes === undefined && size.minutes === undefined && random.next() < CROWD_SHARE) {
    return crowd(seed, random, 30, size);
  }
  if (size.nodes !== undefined && size.nodes > CROWD_FROM)
    return crowd(seed, random, size.nodes, size);
  const count = size.nodes ?? random.between(2, 5);
  const periodMs = random.pick([2, 3, 5]) * MINUTE_MS;
  const minutes = size.minutes ?? random.between(4, 10);
  const faultyMs = Math.max(minutes * MINUTE_MS, periodMs + 2 * MINUTE_MS);
  const reboot = random.next() < 0.7;
  const drain = random.next() < 0.6;
  const isMixed = random.next() < 0.15;
  const nodes = Array.from({ length: count }, (_, index) => drawNode(random, index, isMixed));
  const names = nodes.filter(({ program }) => program === 'ours').map(({ name }) => name);
  const steps = Array.from({ length: random.between(1, 12) }, () =>
    drawStep(random, names, drawTime(random, periodMs, faultyMs), drain),
  );
  return {
    seed,
    faultyMs,
    periodMs,
    windowMs: random.pick([periodMs, periodMs / 2, 60_000, 20_000]),
    reboot,
    drain,
    drainBefore: random.next() < 0.25 ? 'upgrade' : 'reboot',
    hardWindow: random.next() < 0.3,
    nodes,
    steps: steps.toSorted((one, other) => one.atMs - other.atMs),
    isCrowd: false,
  };
}

const CROWD_SHARE = 0.01;
/** More nodes than this are a crowd: with faults, and upgrades that take their time, they would need days. */
const CROWD_FROM = 100;
/** What a node of a crowd takes for its turn, at most. */
const TURN_MS = 2_000;

/** Without a number of minutes the window is long enough for all; else most end with its deadline. */
function crowd(seed: number, random: Random, count: number, { minutes }: Size): Plan {
  const periodMs =
    minutes === undefined ? Math.max(10 * MINUTE_MS, count * TURN_MS) : minutes * MINUTE_MS;
  const upgradeMs = minutes === undefined ? 300 : 10_000;
  const nodes = Array.from({ length: count }, (_, index) => ({
    ...drawNode(random, index, false),
    upgrade: 'ok' as const,
    upgradeMs,
    rebootFailure: null,
    skewMs: 0,
  }));
  return {
    seed,
    faultyMs: MINUTE_MS,
    periodMs,
    windowMs: periodMs,
    reboot: false,
    drain: false,
    drainBefore: 'reboot',
    hardWindow: false,
    nodes,
    steps: [],
    isCrowd: true,
  };
}

function drawNode(random: Random, index: number, isMixed: boolean): NodePlan {
  const failure = random.next();
  return {
    name: `node-${index + 1}`,
    program: isMixed && index > 0 && random.next() < 0.5 ? 'original' : 'ours',
    upgrade: random.next() < 0.1 ? 'fails' : 'ok',
    upgradeMs: random.pick([300, 2_000, 2_000, 10_000, 45_000]),
    isRebootDue: random.next() < 0.7,
    rebootFailure:
      failure < 0.04 ? 'refused' : failure < 0.08 ? 'stuck' : failure < 0.1 ? 'dead' : null,
    bootMs: random.pick([2_000, 8_000, 30_000]),
    skewMs: random.next() < 0.7 ? 0 : random.between(-90_000, 90_000),
  };
}

/** Every node hears of each: more of them took most of the time of all seeds and showed nothing more. */
const TOUCHES_MAX = 300;

/** Most weight on what hits a single node in the middle of something. */
const WEIGHTS: [StepKind, number][] = [
  ['crash', 8],
  ['kill', 4],
  ['stop', 3],
  ['power', 3],
  ['wipe', 2],
  ['requests', 8],
  ['outage', 3],
  ['drop', 2],
  ['gone', 2],
  ['freeze', 2],
  ['lag', 2],
  ['touch', 3],
  ['jump', 2],
  ['cordon', 3],
  ['lock-clear', 1],
  ['lock-take', 1],
  ['delete-node', 1],
  ['block', 2],
];

export const STEP_KINDS: readonly StepKind[] = WEIGHTS.map(([kind]) => kind);

function drawKind(random: Random): StepKind {
  let left = random.next() * WEIGHTS.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [kind, weight] of WEIGHTS) {
    left -= weight;
    if (left < 0) return kind;
  }
  return 'kill';
}

/** Near a tick, more often than not: that is where all nodes are at it. */
function drawTime(random: Random, periodMs: number, faultyMs: number): number {
  if (random.next() < 0.3) return random.between(0, faultyMs);
  const tickMs = periodMs * random.between(1, Math.floor(faultyMs / periodMs));
  return Math.min(faultyMs, tickMs + random.between(-1_000, random.pick([300, 5_000, 40_000])));
}

function drawStep(random: Random, names: string[], atMs: number, drain: boolean): Step {
  const node = random.pick(names);
  const forMs = random.pick([500, 3_000, 20_000, 90_000]);
  const downMs = random.pick([10, 1_000, 10_000, 120_000]);
  const kind = drawKind(random);
  switch (kind) {
    case 'crash':
      return {
        atMs,
        kind,
        node,
        downMs,
        isPower: random.next() < 0.3,
        at: random.next() < 0.5 ? 'record' : 'effect',
        side: random.next() < 0.5 ? 'before' : 'after',
        nth: random.between(1, 20),
      };
    case 'requests':
      return {
        atMs,
        kind,
        node: random.next() < 0.5 ? node : null,
        forMs,
        fate: random.pick(FATES),
        share: random.pick([0.1, 0.5, 1]),
      };
    case 'outage':
      return { atMs, kind, forMs };
    case 'lag':
      return { atMs, kind, forMs, lagMs: random.pick([200, 2_000, 15_000]) };
    case 'touch': {
      const everyMs = random.pick([3, 20, 200]);
      return { atMs, kind, forMs: Math.min(forMs, everyMs * TOUCHES_MAX), everyMs };
    }
    case 'jump':
      return { atMs, kind, node, byMs: random.between(-600_000, 600_000) };
    case 'block':
      return drain ? { atMs, kind, node, forMs } : { atMs, kind: 'drop' };
    case 'cordon':
    case 'lock-take':
    case 'delete-node':
      return { atMs, kind, node, forMs };
    case 'drop':
    case 'gone':
    case 'freeze':
    case 'lock-clear':
      return { atMs, kind };
    default:
      return { atMs, kind, node, downMs };
  }
}
