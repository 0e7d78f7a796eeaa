import type { JournalRecord } from '../../src/journal/record.ts';
import { DRAIN_ANNOTATION } from '../../src/kube/annotations.ts';
import { type Api, createApi } from '../../src/rehearsal/api.ts';
import { createClock, type VirtualClock } from '../../src/rehearsal/clock.ts';
import * as cluster from '../../src/rehearsal/cluster.ts';
import type { ApiObject } from '../../src/rehearsal/objects.ts';
import { createRandom } from '../../src/rehearsal/random.ts';
import { NODES } from '../../src/rehearsal/routes.ts';
import { createWorkload } from '../../src/rehearsal/workload.ts';
import { type Coverage, createCoverage } from './coverage.ts';
import { createHistory, type Entry, type History } from './history.ts';
import { ADMINISTRATOR, COST, createJudge, type Judge, type Violation } from './judge.ts';
import { createNodeSim, type NodeSim } from './node.ts';
import { createOriginal } from './original.ts';
import type { Plan, Step } from './plan.ts';
import { applySteps } from './steps.ts';
import { createWire, type Wire } from './wire.ts';

/** A cluster in one process, in virtual time. */
export interface Fleet {
  plan: Plan;
  clock: VirtualClock;
  api: Api;
  wire: Wire;
  judge: Judge;
  history: History;
  coverage: Coverage;
  nodes: Map<string, NodeSim>;
  /** Faults whose time has come, and which wait for a node's run to be in a state. */
  aimed: Step[];
  /** Writes that are an administrator's. */
  asAdministrator(write: () => void): void;
}

export interface Result {
  violations: Violation[];
  /** Runs that ended. */
  runs: number;
  virtualMs: number;
  requests: number;
  history: Entry[];
  /** What the nodes' disks have in the end. */
  journals: JournalRecord[][];
  coverage: Coverage;
}

export interface Simulation {
  /** Keeps what happened, to be shown; without it only what is wrong is told. */
  isTold?: boolean;
}

/** When it begins, by the cluster's clock, ms since the epoch. */
export const START_MS = Date.UTC(2026, 11, 1, 3, 0, 0);
const BOOKMARK_MS = 60_000;
/** Of a run, with the requests of the start; about 13 where nothing goes wrong. */
const CROWD_MAX_REQUESTS = 20;
/** Ticks behind the faults, until everything must have come right: a short window is for few. */
const LIMIT_TICKS = 80;
/** Longer than any request may be under way, or any fault leave its traces. */
const CALM_MS = 125_000;

/** Runs a plan; the same plan gives the same result. */
export async function simulate(plan: Plan, { isTold = false }: Simulation = {}): Promise<Result> {
  const clock = createClock(START_MS, 0);
  let writer = '';
  const api = createApi({
    now: () => new Date(clock.nowMs()),
    timers: clock,
    bookmarkMs: BOOKMARK_MS,
    onEvicted: (pod) => onEvicted(pod),
  });
  const nodes = new Map<string, NodeSim>();
  const judge = createJudge(clock, plan.isNative !== true);
  const history = createHistory(clock, isTold);
  const coverage = createCoverage(() => clock.nowMs() - START_MS);
  const as = <T>(author: string, write: () => T): T => {
    const before = writer;
    writer = author;
    try {
      return write();
    } finally {
      writer = before;
    }
  };
  const wire = createWire({ api, clock, random: createRandom(plan.seed, 'wire'), as });
  const names = plan.nodes.map(({ name }) => name);
  cluster.createObjects(api.store, names);
  const workload = plan.drain
    ? createWorkload(api.store, names, clock, createRandom(plan.seed, 'workload'), undefined)
    : null;
  const onEvicted = (pod: ApiObject) => {
    workload?.onEvicted(pod);
    judge.effect((pod as { spec?: { nodeName?: string } }).spec?.nodeName ?? '', 'evicts');
  };
  cluster.watchHolder(api.store, (holder) => {
    history.tell('', `the lock: ${holder === '' ? 'free' : holder}`);
    judge.wrote(holder, writer);
  });
  watchNodes(api, judge, () => writer);
  const fleet: Fleet = {
    plan,
    clock,
    api,
    wire,
    judge,
    history,
    coverage,
    nodes,
    aimed: [],
    asAdministrator: (write) => as(ADMINISTRATOR, write),
  };
  for (const node of plan.nodes) {
    nodes.set(
      node.name,
      node.program === 'ours' ? createNodeSim(fleet, node) : createOriginal(fleet, node),
    );
  }
  for (const node of nodes.values()) clock.setTimeout(() => node.start(), 0);
  applySteps(fleet);
  // Time goes on where the last node is gone, too.
  const goOn = () => void clock.setTimeout(goOn, plan.periodMs);
  goOn();
  await clock.run(createIsOver(fleet), new AbortController().signal);
  const requests = [...wire.counts.values()].reduce((sum, one) => sum + one, 0);
  if (judge.violations.length === 0) checkEnd(fleet);
  if (plan.isCrowd && requests > coverage.runs * CROWD_MAX_REQUESTS) {
    judge.broken(COST, `${requests} requests for ${coverage.runs} runs in a large fleet`);
  }
  for (const node of nodes.values()) node.close();
  coverage.close();
  return {
    violations: judge.violations,
    runs: coverage.runs,
    virtualMs: clock.nowMs() - START_MS,
    requests,
    history: history.entries,
    journals: [...nodes.values()].map((node) => node.journal()),
    coverage,
  };
}

/** Cordons that are this program's carry its annotation. */
function watchNodes(api: Api, judge: Judge, writer: () => string): void {
  const cordoned = new Set<string>();
  api.store.watch(NODES, '', api.store.version, ({ object }) => {
    const { name } = object.metadata;
    const is = isCordonedByProgram(object);
    if (is === cordoned.has(name)) return;
    if (is) cordoned.add(name);
    else cordoned.delete(name);
    judge.disturbed(name, 'cordon', is);
    if (is && writer() !== ADMINISTRATOR) judge.effect(name, 'is cordoned');
  });
}

function isCordonedByProgram({ metadata }: ApiObject): boolean {
  const annotations = (metadata.annotations ?? {}) as Record<string, string>;
  return annotations[DRAIN_ANNOTATION] !== undefined;
}

/** Looks at all nodes, and so not at each step of a large fleet. */
function createIsOver(fleet: Fleet): () => boolean {
  let lookAtMs = START_MS + fleet.plan.faultyMs + CALM_MS;
  return () => {
    if (fleet.judge.violations.length > 0) return true;
    const nowMs = fleet.clock.nowMs();
    if (nowMs < lookAtMs) return false;
    lookAtMs = nowMs + fleet.nodes.size;
    return isOver(fleet);
  };
}

function isOver({ clock, plan, nodes, api }: Fleet): boolean {
  const sinceMs = clock.nowMs() - START_MS - plan.faultyMs;
  if (sinceMs > LIMIT_TICKS * plan.periodMs) return true;
  const isStuck = [...nodes.values()].some((node) => node.isGone());
  if (isStuck && cluster.lockHolder(api.store) !== '') return sinceMs > plan.periodMs * 2;
  return [...nodes.values()].every((node) => node.isGone() || node.hadTurn());
}

/** With all faults over everybody had a turn; who is not at work holds no lock and is not cordoned. */
function checkEnd({ judge, nodes, api }: Fleet): void {
  const holder = cluster.lockHolder(api.store);
  const isGone = (name: string) => nodes.get(name)?.isGone() === true;
  const isBlocked = judge.stateOf(holder) === 'locked.draining.evicting';
  // Who holds the lock and never comes back is a matter for people; so is a budget that its pods
  // have used up, when it was they who took the lock away from it.
  if (isGone(holder) || (isBlocked && [...nodes.keys()].some(isGone))) return;
  // With short periods somebody is always at work.
  const isWorking = (name: string) => nodes.get(name)?.isAtRest() === false;
  if (holder !== '' && !isWorking(holder)) {
    judge.broken(7, `the lock is still held by ${holder} at the end`);
  }
  for (const [name, node] of nodes) {
    if (node.isGone()) continue;
    if (!node.hadTurn()) judge.broken(7, `${name} never got its turn (${judge.stateOf(name)})`);
    const object = api.store.get(NODES, '', name);
    const { unschedulable } = (object.spec ?? {}) as { unschedulable?: boolean };
    if (!isWorking(name)) {
      if (isCordonedByProgram(object)) judge.broken(5, `${name} is left marked as drained`);
      else if (unschedulable) judge.broken(5, `${name} is left cordoned`);
    }
    node.checkJournal();
  }
}
