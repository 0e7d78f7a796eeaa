import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldJournal } from '../../src/journal/fold.ts';
import { type JournalRecord, parseJournal } from '../../src/journal/record.ts';
import type { Fact } from './facts.ts';
import { createFaults, wait } from './faults.ts';
import { type Fleet, type Member, nodeNames, startFleet } from './fleet.ts';
import { createJudge, type Judge, type Violation } from './judge.ts';
import { drawFaults } from './plan.ts';
import { createTally, type Tally } from './tally.ts';
import { createThrottle } from './throttle.ts';
import { createWorkload } from './workload.ts';

export interface ChaosOptions {
  seed: number;
  agents: number;
  /** How long faults come. */
  faultyMs: number;
  /** Where logs and journals are written. */
  folder: string;
  variant: string | null;
  /** Ends it early, with what is known by then. */
  stop: AbortSignal;
  say(text: string): void;
}

export interface Chaos {
  violations: readonly Violation[];
  /** The last that happened, in order: facts, records, faults; with the nodes that they are about. */
  last: readonly Happening[];
  tally: Tally;
  revision: number;
  /** Of agents' processes. */
  starts: number;
  /** Every agent had its turn at the end. */
  isComplete: boolean;
}

export interface Happening {
  atMs: number;
  /** '': the whole cluster. */
  node: string;
  text: string;
}

export const PERIOD_S = 5;
const FLAGS = [
  `--schedule=@every ${PERIOD_S}s`,
  // Less than a round of all: some runs come to their deadline.
  '--schedule-window=45s',
  '--reboot',
  '--drain',
  '--reboot-timeout=20s',
  '--drain-timeout=20s',
];
const LAST_COUNT = 4_000;
const LOOK_MS = 1_000;
const PROGRESS_MS = 10_000;
const RECONCILE_MS = 400;
/** From the end of all faults to the last agent's turn: the longest backoff, and then one by one. */
const REST_TICKS_MAX = 120;
/** What the program says where its journal was not what it had written. */
const DAMAGED = /set aside as|journal cannot be written/;

/** Chaos from the first fault to the last agent's turn. Ends by itself. */
export async function runChaos(options: ChaosOptions): Promise<Chaos> {
  const { seed, agents, folder, say, stop } = options;
  const names = nodeNames(agents);
  const judge = createJudge(names);
  const tally = createTally();
  const last: Happening[] = [];
  const facts: ((fact: Fact) => void)[] = [];
  const turns = createTurns();
  let isHealed = false;
  let isFinished = false;
  let failure: unknown = null;

  const tell = (node: string, text: string, atMs = Date.now()) => {
    last.push({ atMs, node, text });
    if (last.length > LAST_COUNT * 2) last.splice(0, LAST_COUNT);
  };
  const broken = (invariant: number, nodes: string[], text: string) =>
    judge.broken(invariant, Date.now(), nodes, text);
  const fleet = await startFleet({
    agents,
    seed,
    folder,
    flags: FLAGS,
    variant: options.variant,
    isHealed: () => isHealed,
    onFact(fact) {
      judge.fact(fact);
      tally.fact(fact);
      for (const on of facts) on(fact);
      const { revision, atMs, kind, ...rest } = fact;
      const node = 'node' in rest ? rest.node : '';
      if (kind !== 'budget') tell(node, `etcd ${revision}: ${kind} ${JSON.stringify(rest)}`, atMs);
    },
    // At a Ctrl-C etcd ends by itself.
    onGap: (error) => stop.aborted || broken(0, [], `the record is not whole: ${error.message}`),
    onRecord(node, record) {
      const what = 'event' in record ? record.event.type : 'a run begins';
      tell(node, `${record.run} ${what} -> ${record.state}`, record.atMs);
      judge.record(node, record);
      tally.record(node, record);
      turns.record(node, record);
    },
    onText(node, text) {
      tell(node, text);
      if (DAMAGED.test(text)) broken(6, [node], `${node}: ${text}`);
    },
    onAnswer(node, answer) {
      tell(node, `answer: ${answer}`);
      tally.answer(answer);
    },
    onAway: (node) => judge.away(node),
    onBack: (node) => judge.back(node, Date.now()),
    onForget: (node) => judge.forgets(node),
    onExit(node, code, text) {
      tell(node, `the process ends with ${code}`);
      tally.exit(code);
      // What the cluster refuses at the start is one line; the kubelet tries again.
      const isRefusal = code === 2 && /^host-upgrades: /m.test(text);
      if (!isRefusal) broken(8, [node], `the process of ${node} ends with ${code}:\n${text}`);
    },
    onError(error) {
      failure ??= error;
    },
  });
  const over = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  try {
    const workload = createWorkload(fleet.cluster, names, Math.max(4, agents));
    facts.push(workload.fact);
    await workload.begin();
    const throttle = await createThrottle(fleet.cluster);
    const isOn = () => judge.violations.length === 0 && failure === null && !stop.aborted;
    const reconciling = repeat(
      () => workload.reconcile(),
      () => isFinished,
      (error) => tell('', `the workload waits: ${error.message}`),
    );
    timers.push(setInterval(() => judge.look(Date.now()), LOOK_MS));
    const beganMs = Date.now();
    timers.push(
      setInterval(() => {
        const { revision } = fleet.recorder;
        say(`${clock(Date.now() - beganMs)} ${tally.line()}; revision ${revision()}`);
      }, PROGRESS_MS),
    );
    fleet.members.forEach(({ agent }, index) => {
      agent.start(index * 150);
    });

    const { inflict } = createFaults({
      fleet,
      throttle,
      over: over.signal,
      holder: judge.holder,
      say(text) {
        tell('', `fault: ${text}`);
        say(`${clock(Date.now() - beganMs)} fault: ${text}`);
      },
    });
    const inflicted: Promise<void>[] = [];
    for (const { atMs, ...fault } of drawFaults(seed, agents, options.faultyMs)) {
      await until(beganMs + atMs, isOn);
      if (!isOn()) break;
      tally.fault(fault.kind);
      inflicted.push(
        inflict(fault).catch((error: unknown) => {
          failure ??= error;
        }),
      );
    }
    await until(beganMs + options.faultyMs, isOn);
    over.abort();
    await Promise.all(inflicted);
    for (const { agent, host } of fleet.members) {
      agent.resume();
      if (host.isUp() && !agent.isRunning()) agent.start(2_000);
    }
    isHealed = true;
    say(`${clock(Date.now() - beganMs)} faults are over; every agent gets its turn`);
    tell('', 'faults are over');
    turns.begin();
    const isComplete = isOn() && (await lastTurns(fleet, turns, judge, isOn));
    isFinished = true;
    await reconciling;
    // At a Ctrl-C the control plane ends by itself, and what was under way fails.
    if (failure !== null && !stop.aborted) throw failure;
    if (isComplete) {
      await fleet.recorder.caughtUp();
      judge.rest(Date.now());
    }
    checkJournals(fleet.members, judge);
    return {
      violations: judge.violations,
      last,
      tally,
      revision: fleet.recorder.revision(),
      starts: fleet.members.reduce((sum, { agent }) => sum + agent.starts(), 0),
      isComplete,
    };
  } finally {
    for (const timer of timers) clearInterval(timer);
    over.abort();
    isFinished = true;
    await fleet.stop();
  }
}

interface Turns {
  begin(): void;
  record(node: string, record: JournalRecord): void;
  has(node: string): boolean;
}

/** Who has had a run that began and ended since `begin`. */
function createTurns(): Turns {
  const runs = new Map<string, string>();
  const ended = new Set<string>();
  let hasBegun = false;
  return {
    begin() {
      hasBegun = true;
    },
    record(node, record) {
      if (!hasBegun) return;
      if ('input' in record) runs.set(node, record.run);
      // One that came to its deadline is tried again at the next tick.
      const isEnd = record.state === 'done' && runs.get(node) === record.run;
      if (isEnd) ended.add(node);
    },
    has: (node) => ended.has(node),
  };
}

/** Lets each agent have a whole good run, and stops it then, so that the others come next. */
async function lastTurns(
  { members }: Fleet,
  turns: Turns,
  judge: Judge,
  isOn: () => boolean,
): Promise<boolean> {
  const untilMs = Date.now() + REST_TICKS_MAX * PERIOD_S * 1_000;
  const left = new Set<Member>(members);
  while (left.size > 0 && isOn()) {
    if (Date.now() > untilMs) {
      const names = [...left].map(({ name }) => name);
      const list = names.map((name) => `${name} (${judge.stateOf(name)})`).join(', ');
      judge.broken(7, Date.now(), names, `no turn within ${REST_TICKS_MAX} ticks: ${list}`);
      return false;
    }
    const atRest = [...left].filter(({ name }) => turns.has(name) && judge.isAtRest(name));
    for (const member of atRest) {
      const { name, agent } = member;
      const code = await agent.retire();
      if (code !== 0) judge.broken(8, Date.now(), [name], `${name} stops with ${code}`);
      // Its next run may have come to the lock just then; whoever holds it goes on.
      if (judge.isAtRest(name)) left.delete(member);
      else agent.start();
    }
    await wait(100);
  }
  return left.size === 0;
}

function checkJournals(members: readonly Member[], judge: Judge): void {
  for (const { name, agent } of members) {
    for (const path of globSync(join(agent.folder, 'state*', 'journal*.ndjson'))) {
      try {
        foldJournal(parseJournal(readFileSync(path)).records);
      } catch (error) {
        judge.broken(6, Date.now(), [name], `${path}: ${(error as Error).message}`);
      }
    }
  }
}

/** Again and again, one after the other; what fails is told and tried again. */
async function repeat(
  what: () => Promise<void>,
  isOver: () => boolean,
  onError: (error: Error) => void,
): Promise<void> {
  while (!isOver()) {
    await what().catch(onError);
    await wait(RECONCILE_MS);
  }
}

async function until(atMs: number, isOn: () => boolean): Promise<void> {
  while (Date.now() < atMs && isOn()) {
    await wait(Math.min(100, atMs - Date.now()));
  }
}

/** `mm:ss`. */
function clock(ms: number): string {
  const s = Math.floor(ms / 1_000);
  return [Math.floor(s / 60), s % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
