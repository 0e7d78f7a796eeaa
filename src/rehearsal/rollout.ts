import { disruptionOf } from '../../machines/setup.ts';
import type { JournalRecord } from '../journal/record.ts';
import { createClient } from '../kube/client.ts';
import { WATCH_LIMITS } from '../kube/watch.ts';
import { formatLine } from '../trace/format.ts';
import { type Agent, createAgent } from './agent.ts';
import { type ApiServer, startApiServer } from './apiserver.ts';
import { createClock, type VirtualClock } from './clock.ts';
import * as cluster from './cluster.ts';
import { type Combined, combine } from './combine.ts';
import { FAULTS, type Stage } from './faults.ts';
import { createHost } from './hosts.ts';
import type { OpenJournal } from './journal.ts';
import type { Entry } from './ledger.ts';
import { type Count, createNetwork, type Delay, type Network } from './network.ts';
import type { ApiObject } from './objects.ts';
import { type Ended, type Outcome, outcome } from './outcome.ts';
import type { Pace } from './pace.ts';
import { createRandom, hash } from './random.ts';
import { createWorkload, type Workload } from './workload.ts';

export interface RolloutOptions {
  nodes: number;
  seed: number;
  /** Virtual ms in a real one; 0: as fast as possible. */
  speed: number;
  /** What rules the speed; not given: nobody. */
  pace?: Pace;
  /** Keys of FAULTS. */
  faults: readonly string[];
  reboot: boolean;
  drain: boolean;
  /** When the schedule ticks: ms since the epoch, in virtual time. */
  tickMs: number;
  openJournal: OpenJournal;
  version: string;
  /** A line of a node's log. */
  onText(node: string, text: string, atMs: number): void;
  onRecord(node: string, record: JournalRecord): void;
  /** What is being done to the cluster. */
  onNote(text: string, atMs: number): void;
}

const WINDOW_MS = 3_600_000;
const DELAY_MS: Delay = [1, 5];
const BOOKMARK_MS = 60_000;
/** By then every run has ended: the window is over, and the last holder has let go. */
const LIMIT_MS = 3 * WINDOW_MS;

/** What the parts of a rollout share. */
interface World {
  options: RolloutOptions;
  nodes: readonly string[];
  clock: VirtualClock;
  network: Network;
  server: ApiServer;
  faults: Combined;
  ledger: Entry[];
  /** With drains only. */
  workload: Workload | null;
}

/**
 * One rollout: all nodes tick at once, each one a whole host-upgrades but for its host. All of it
 * follows from the options. Resolves to null when the signal ends it.
 */
export async function rollout(given: RolloutOptions, signal: AbortSignal): Promise<Outcome | null> {
  let isOver = false;
  // Who still waits when it ends sees its connection close: that is no part of the rollout.
  const unlessOver =
    <Args extends unknown[]>(call: (...args: Args) => void) =>
    (...args: Args) => {
      if (!isOver) call(...args);
    };
  const options: RolloutOptions = {
    ...given,
    onText: unlessOver(given.onText),
    onRecord: unlessOver((node: string, record: JournalRecord) => {
      given.onRecord(node, record);
      given.pace?.recorded();
    }),
    onNote: unlessOver(given.onNote),
  };
  const nodes = Array.from({ length: options.nodes }, (_, index) => `node-${index + 1}`);
  const clock = createClock(options.tickMs, options.speed, options.pace);
  const agents = new Map<string, Agent>();
  const network = createNetwork(clock, () => faults.delay ?? DELAY_MS);
  const stage = (label: string): Stage => ({
    clock,
    random: createRandom(options.seed, `fault ${label}`),
    nodes,
    holder: () => cluster.lockHolder(server.store),
    api: {
      pause: () => server.pause(),
      resume: () => server.resume(),
      dropWatches: () => server.dropWatches(),
      freezeWatches: () => network.freezeWatches(),
      compact: () => cluster.compact(server.store, nodes[0] as string),
      touch: () => cluster.touchDaemonSet(server.store),
    },
    restart: (node, downMs) => agents.get(node)?.restart(downMs),
    kill: (node, downMs) => agents.get(node)?.kill(downMs),
    note: (text) => options.onNote(text, clock.nowMs()),
  });
  const faults = combine(options.faults.flatMap((name) => FAULTS[name]?.create(stage(name)) ?? []));
  const server = await startServer(clock, network, faults, (pod) => world.workload?.onEvicted(pod));
  const ledger: Entry[] = [];
  const world: World = { options, nodes, clock, network, server, faults, ledger, workload: null };
  try {
    return await run(world, agents, signal);
  } finally {
    isOver = true;
    await Promise.all([...agents.values()].map((agent) => agent.close()));
    await server.close();
  }
}

function startServer(
  clock: VirtualClock,
  network: Network,
  faults: Combined,
  onEvicted: (pod: ApiObject) => void,
) {
  const { stallMs } = faults;
  return startApiServer({
    token: cluster.TOKEN,
    now: () => new Date(clock.nowMs()),
    timers: clock,
    isClosing: true,
    bookmarkMs: stallMs === undefined ? BOOKMARK_MS : stallMs * 0.75,
    onWatch: network.watchOpened,
    onEvicted,
    faults,
  });
}

async function run(
  world: World,
  agents: Map<string, Agent>,
  signal: AbortSignal,
): Promise<Outcome | null> {
  const { options, nodes, clock, network, server, faults, ledger } = world;
  const { tickMs } = options;
  cluster.createObjects(server.store, nodes);
  if (options.drain) {
    const random = createRandom(options.seed, 'workload');
    world.workload = createWorkload(server.store, nodes, clock, random, faults.blockedNode);
  }
  cluster.watchHolder(server.store, (holder) => {
    ledger.push({ type: 'lock', atMs: clock.nowMs(), holder });
  });
  cluster.watchCordons(server.store, (node, isCordoned) => {
    ledger.push({ type: isCordoned ? 'cordoned' : 'uncordoned', atMs: clock.nowMs(), node });
    if (isCordoned) faults.drainStarted(node);
  });
  const ends: Ended[] = [];
  let active = nodes.length;
  for (const node of nodes) {
    const count: Count = { requests: 0, conflicts: 0 };
    const end: Ended = { node, snapshot: null, atMs: tickMs, count };
    ends.push(end);
    const agent = agentOf(world, agents, node, count, () => {
      end.atMs = clock.nowMs();
      active -= 1;
    });
    agents.set(node, agent);
    // One after the other, as everything in virtual time.
    clock.setTimeout(() => agent.tick(), 0);
  }
  faults.begin();
  // A request may outlive its run, and what it does counts.
  const isOver = () => active === 0 && network.underWay() === 0;
  await clock.run(() => isOver() || clock.nowMs() > tickMs + LIMIT_MS, signal);
  if (signal.aborted) return null;
  for (const end of ends) end.snapshot = agents.get(end.node)?.snapshot() ?? null;
  return outcome(ends, ledger, faults, tickMs, clock.nowMs());
}

function agentOf(
  world: World,
  agents: ReadonlyMap<string, Agent>,
  node: string,
  count: Count,
  onEnded: () => void,
): Agent {
  const { options, clock, network, server, faults, ledger } = world;
  const { seed } = options;
  const userAgent = `host-upgrades/${node}`;
  const client = createClient(cluster.kubeConfig(server.url), { userAgent });
  const input = {
    node,
    namespace: cluster.NAMESPACE,
    daemonSet: cluster.DAEMON_SET,
    adopt: false,
    deadlineInMs: faults.windowMs ?? WINDOW_MS,
    nodes: world.nodes.length,
    seed: hash(`${seed} run ${node}`),
    disruption: { ...disruptionOf({}), reboot: options.reboot, drain: options.drain },
  };
  const write = (text: string) => options.onText(node, text, clock.nowMs());
  return createAgent({
    clock,
    input,
    client: network.connect(client, userAgent, createRandom(seed, `delay ${node}`), count),
    host: createHost({
      clock,
      random: createRandom(seed, `host ${node}`),
      failure: faults.hostFailure(node),
      onUpgrade: (change) => {
        ledger.push({ type: `upgrade.${change}`, atMs: clock.nowMs(), node });
        if (change === 'started') faults.upgradeStarted(node);
      },
      isRebootDue: options.reboot,
      rebootFailure: faults.rebootFailure(node),
      onDown(isForGood) {
        ledger.push({ type: 'down', atMs: clock.nowMs(), node });
        options.onNote(`${node} goes down${isForGood ? ', and stays down' : ''}`, clock.nowMs());
        agents.get(node)?.down();
        if (isForGood) onEnded();
      },
      onUp() {
        ledger.push({ type: 'up', atMs: clock.nowMs(), node });
        options.onNote(`${node} is up again`, clock.nowMs());
        agents.get(node)?.up();
      },
    }),
    limits: { ...WATCH_LIMITS, stallMs: faults.stallMs ?? WATCH_LIMITS.stallMs },
    openJournal: options.openJournal,
    version: options.version,
    onLine: (line) => write(formatLine(line, input)),
    onRecord: (record) => options.onRecord(node, record),
    warn: write,
    onEnded,
  });
}
