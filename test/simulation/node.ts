import { NEVER } from 'rxjs';
import type { JournalFile } from '../../src/journal/file.ts';
import { foldJournal } from '../../src/journal/fold.ts';
import type { RunClock } from '../../src/journal/live.ts';
import type { JournalRecord } from '../../src/journal/record.ts';
import type { Log } from '../../src/log/log.ts';
import * as cluster from '../../src/rehearsal/cluster.ts';
import { createRandom } from '../../src/rehearsal/random.ts';
import { formatLine } from '../../src/trace/format.ts';
import { createDisk } from './disk.ts';
import type { Fleet } from './fleet.ts';
import { createHost } from './host.ts';
import type { CrashPoint, NodePlan } from './plan.ts';
import { runProcess } from './process.ts';
import { enterState } from './steps.ts';

/** One node: its host, its disk, and one process after the other. */
export interface NodeSim {
  start(): void;
  /** Its host never comes back. */
  isGone(): boolean;
  /** A run that began when all faults were over has ended. */
  hadTurn(): boolean;
  isAtRest(): boolean;
  /** The process dies at once; the next one comes `downMs` later. */
  kill(downMs: number): void;
  /** SIGTERM. */
  stop(downMs: number): void;
  losePower(downMs: number): void;
  wipe(downMs: number): void;
  crashAt(point: CrashPoint, isPower: boolean, downMs: number): void;
  jump(byMs: number): void;
  /** What is on its disk. */
  journal(): JournalRecord[];
  checkJournal(): void;
  close(): void;
}

interface Process {
  isAlive: boolean;
  stop: AbortController;
}

/** As the kubelet: a process that gives up, and one that did not end in time. */
const RESTART_MS = 10_000;
const KILL_MS = 30_000;

export function createNodeSim(fleet: Fleet, plan: NodePlan): NodeSim {
  const { clock, judge, history, coverage, wire } = fleet;
  const { name } = plan;
  const disk = createDisk();
  const random = createRandom(fleet.plan.seed, `node ${name}`);
  let skewMs = plan.skewMs;
  let current: Process | null = null;
  let isClosed = false;
  let starts = 0;
  let processes = 0;
  let trap: (CrashPoint & { isPower: boolean; downMs: number }) | null = null;
  const host = createHost(
    plan,
    clock,
    {
      onUpgrade: (change) => judge.disturbed(name, 'upgrade', change === 'started'),
      onShutdown: () => current?.stop.abort(),
      onDown: () => die('its host goes down'),
      onUp: () => {
        judge.disturbed(name, 'down', false);
        startIn(0);
      },
    },
    () => judge.isHealed(),
  );

  const tell = (text: string) => history.tell(name, text);
  const startIn = (downMs: number) => {
    starts += 1;
    const mine = starts;
    clock.setTimeout(() => {
      // Another fault has it start at another time.
      if (mine === starts) start();
    }, downMs);
  };
  const die = (why: string) => {
    if (current === null) return;
    tell(`the process ends: ${why}`);
    current.isAlive = false;
    current = null;
    judge.died(name);
  };

  /** Dies where the trap says so; true: nothing of what was about to happen does. */
  const springs = (
    at: CrashPoint['at'],
    side: CrashPoint['side'],
    what: string,
    state = judge.stateOf(name),
  ): boolean => {
    if (trap === null || trap.at !== at || trap.side !== side) return false;
    if (trap.state !== undefined && trap.state !== state) return false;
    trap.nth -= 1;
    if (trap.nth > 0) return false;
    const { isPower, downMs } = trap;
    trap = null;
    coverage.fault(`crash-${side}-${at}${isPower ? '-power' : ''}`, state);
    if (isPower) losePower(downMs, `${side} ${what}`);
    else kill(downMs, `${side} ${what}`);
    return true;
  };
  const kill = (downMs: number, why = 'killed') => {
    die(why);
    if (host.isUp()) startIn(downMs);
  };
  const losePower = (downMs: number, why = 'power') => {
    if (!host.isUp()) return;
    die(why);
    disk.losePower();
    host.goDown(downMs);
  };

  const start = () => {
    if (isClosed || current !== null || !host.isUp()) return;
    const process: Process = { isAlive: true, stop: new AbortController() };
    current = process;
    tell('a process starts');
    const { arguments: lines = [] } = plan;
    const told = lines[processes % lines.length] ?? {};
    processes += 1;
    runProcess({
      plan: fleet.plan,
      told,
      names: { namespace: cluster.NAMESPACE, daemonSet: cluster.DAEMON_SET, node: name },
      client: wire.connect({
        node: name,
        isAlive: () => process.isAlive,
        state: () => judge.stateOf(name),
        effect: (side, what, state) => {
          if (process.isAlive) springs('effect', side, what, state);
        },
        sawLock: (value) => judge.saw(name, value),
      }),
      journal: journalOf(process),
      clock: clockOf(process),
      host,
      random,
      log: logOf(process),
      stop: process.stop.signal,
      effect(what, begin) {
        if (!process.isAlive || springs('effect', 'before', what)) return NEVER;
        const state = judge.stateOf(name);
        const isNew = what === 'reboots' || !host.isUpgrading();
        const events = begin();
        if (isNew && host.isUp()) {
          judge.effect(name, what);
          if (what === 'reboots') judge.disturbed(name, 'down', plan.rebootFailure === null);
        }
        return springs('effect', 'after', what, state) ? NEVER : events;
      },
      onRecord(record) {
        if (!process.isAlive) return;
        coverage.record(record, name);
        history.tell(
          name,
          `${'event' in record ? record.event.type : 'a run begins'} -> ${record.state}`,
          record,
        );
        const before = judge.stateOf(name);
        judge.record(name, record);
        if (record.state !== before) enterState(fleet, name, record.state);
      },
    })
      .then((how) => {
        if (!process.isAlive) return;
        die(how);
        if (how === 'exited') startIn(RESTART_MS);
      })
      .catch((error: unknown) => {
        if (!process.isAlive) return;
        judge.broken(8, `the process of ${name} fails: ${(error as Error).stack}`);
      });
  };

  const journalOf = (process: Process): JournalFile => {
    let journal: JournalFile;
    try {
      journal = disk.open();
    } catch (error) {
      judge.broken(6, `the journal of ${name} does not fold: ${(error as Error).message}`);
      throw error;
    }
    return {
      ...journal,
      append(record, flush) {
        if (!process.isAlive || springs('record', 'before', 'a record')) return;
        journal.append(record, flush);
        springs('record', 'after', 'a record');
      },
    };
  };
  /** Wall time as the node has it; timers of a process that has died do nothing. */
  const clockOf = (process: Process): RunClock => ({
    nowMs: () => clock.nowMs() + skewMs,
    setTimeout: (run, delayMs) =>
      clock.setTimeout(() => {
        if (process.isAlive) run();
      }, delayMs),
    clearTimeout: (timer) => clock.clearTimeout(timer),
  });
  const logOf = (process: Process): Log => ({
    say: (_, text) => {
      if (process.isAlive) tell(text);
    },
    line: (line, names) => {
      if (process.isAlive) tell(`  ${formatLine(line, names)}`);
    },
    resumption: () => {},
    record: () => {},
  });

  return {
    start,
    isGone: () => plan.rebootFailure === 'dead' && !host.isUp(),
    hadTurn: () => judge.turns.has(name),
    isAtRest: () => !judge.isActive(name),
    kill,
    stop(downMs) {
      const process = current;
      if (process === null) return;
      tell('told to stop');
      process.stop.abort();
      clock.setTimeout(() => {
        if (process === current) die('killed, it does not end');
      }, KILL_MS);
      startIn(Math.max(downMs, 5_000));
    },
    losePower: (downMs) => losePower(downMs),
    wipe(downMs) {
      die('killed, its disk is lost');
      disk.wipe();
      judge.forgot(name);
      if (host.isUp()) startIn(downMs);
    },
    crashAt(point, isPower, downMs) {
      trap = { ...point, isPower, downMs };
    },
    jump(byMs) {
      skewMs += byMs;
      judge.jumped(name);
    },
    journal: () => [...disk.records()],
    checkJournal() {
      try {
        foldJournal([...disk.records()]);
      } catch (error) {
        judge.broken(6, `the journal of ${name} does not fold: ${(error as Error).message}`);
      }
    },
    close() {
      isClosed = true;
      die('the end');
    },
  };
}
