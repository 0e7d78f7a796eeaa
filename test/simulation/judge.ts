import type { JournalRecord } from '../../src/journal/record.ts';
import type { VirtualClock } from '../../src/rehearsal/clock.ts';

/** What must not happen, by its number among the invariants of the design. */
export interface Violation {
  invariant: number;
  atMs: number;
  text: string;
}

/** What a node does to itself and its pods; only the holder of the lock may. */
export type Effect = 'upgrades' | 'is cordoned' | 'evicts' | 'reboots';

export interface Judge {
  violations: Violation[];
  /** Which runs have ended since faults were over, by node. */
  turns: ReadonlySet<string>;
  isActive(node: string): boolean;
  stateOf(node: string): string;
  /** `by`: a node, or ADMINISTRATOR. */
  wrote(value: string, by: string): void;
  saw(node: string, value: string): void;
  effect(node: string, what: Effect): void;
  /** A node is, or is no longer, disturbed in one of the ways. */
  disturbed(node: string, how: 'upgrade' | 'cordon' | 'down', is: boolean): void;
  record(node: string, record: JournalRecord): void;
  /** The process is gone, wherever its run was. */
  died(node: string): void;
  /** And with it all that its journal said. */
  forgot(node: string): void;
  broken(invariant: number, text: string): void;
  /** From now on everything works, and every node must get its turn. */
  faultsOver(): void;
  isHealed(): boolean;
  /** The node's clock was set. */
  jumped(node: string): void;
}

/** Where a node has none. */
export const NO_RUN = 'no run';

/** What a rollout costs is no invariant by its number, but a promise all the same. */
export const COST = 9;
/** How long a request may be on its way. */
const LATE_MAX_MS = 120_000;
export const ADMINISTRATOR = 'the administrator';

interface Run {
  state: string;
  /** In virtual time, which no clock's jump touches. */
  deadlineMs: number | null;
  /** It began when all faults were over. */
  isLate: boolean;
  /** Its process is gone, and no other one has gone on with it yet. */
  isResting: boolean;
  /** The node's clock was set meanwhile. */
  hasJumped: boolean;
}

/** Checks the invariants at every step; without a lock, those that are not about it. */
export function createJudge(clock: VirtualClock, hasLock = true): Judge {
  const violations: Violation[] = [];
  const heldUntilMs = new Map<string, number>();
  const turns = new Set<string>();
  const runs = new Map<string, Run>();
  const seen = new Map<string, string>();
  /** Whose lock an administrator has taken away; they may not know it yet. */
  const robbed = new Set<string>();
  const forgotten = new Set<string>();
  const disturbances = new Map<string, Set<string>>();
  let hadAdministrator = false;
  let isOver = false;
  let holder = '';

  const broken = (invariant: number, text: string) => {
    violations.push({ invariant, atMs: clock.nowMs(), text });
  };
  const who = () => (holder === '' ? 'nobody' : holder);

  const watchDeadline = (node: string, run: Run) => {
    const { deadlineMs } = run;
    if (deadlineMs === null) return;
    // One more ms: the timer of the deadline comes first.
    clock.setTimeout(
      () => {
        if (runs.get(node) !== run || run.deadlineMs !== deadlineMs || run.isResting) return;
        if (run.state.startsWith('acquiring')) {
          broken(3, `${node} still waits for the lock, its deadline is over (${run.state})`);
        }
      },
      deadlineMs - clock.nowMs() + 2,
    );
  };

  const follow = (node: string, record: JournalRecord): Run => {
    const { state } = record;
    if ('input' in record) {
      const { deadlineInMs } = record.input;
      const deadlineMs = deadlineInMs === null ? null : clock.nowMs() + deadlineInMs;
      const run = newRun(state, deadlineMs, isOver);
      runs.set(node, run);
      watchDeadline(node, run);
      return run;
    }
    const run = runs.get(node) ?? newRun(state, null, false);
    runs.set(node, run);
    run.state = state;
    run.isResting = false;
    if (record.event.type === 'run.resumed') {
      const { deadlineInMs } = record.event;
      // Counted anew by the node's clock; where that was set, it is not what it was.
      if (run.deadlineMs === null || run.hasJumped) {
        run.deadlineMs = deadlineInMs === null ? null : clock.nowMs() + deadlineInMs;
      } else run.deadlineMs = Math.max(run.deadlineMs, clock.nowMs());
      watchDeadline(node, run);
    }
    return run;
  };

  return {
    violations,
    turns,
    broken,
    isActive: (node) => {
      const state = runs.get(node)?.state;
      return state !== undefined && !ENDS.has(state);
    },
    stateOf: (node) => (forgotten.has(node) ? NO_RUN : (runs.get(node)?.state ?? NO_RUN)),
    wrote(value, by) {
      if (value === holder) return;
      const before = holder;
      holder = value;
      heldUntilMs.set(before, clock.nowMs());
      if (by === ADMINISTRATOR) {
        hadAdministrator = true;
        if (before !== '') robbed.add(before);
        return;
      }
      if (value !== '') robbed.delete(value);
      if (before !== '' && before !== by) broken(1, `${by} took away the lock that ${before} held`);
      // A request may be under way when its process dies, but not when its run has ended.
      const run = runs.get(by);
      if (value === by && run && !run.isResting && ENDS.has(run.state)) {
        broken(4, `${by} has the lock, and its run has ended (${run.state})`);
      }
    },
    saw: (node, value) => void seen.set(node, value),
    effect(node, what) {
      if (!hasLock || holder === node) return;
      // Sent while it held the lock, and late: nothing ties an eviction to the lock, but its budget holds.
      if (what === 'evicts' && clock.nowMs() - (heldUntilMs.get(node) ?? 0) < LATE_MAX_MS) return;
      if (robbed.has(node) && seen.get(node) === node) return;
      broken(1, `${node} ${what} while ${who()} holds the lock`);
    },
    disturbed(node, how, is) {
      if (!hasLock) return;
      const ways = disturbances.get(node) ?? new Set();
      disturbances.set(node, ways);
      if (is) ways.add(how);
      else ways.delete(how);
      const all = [...disturbances].filter(([, one]) => one.size > 0);
      if (!is || all.length < 2 || hadAdministrator) return;
      const list = all.map(([name, one]) => `${name} (${[...one].join(', ')})`);
      broken(1, `two nodes are disturbed at once: ${list.join(' and ')}`);
    },
    record(node, record) {
      const before = runs.get(node)?.state ?? '';
      const run = follow(node, record);
      forgotten.delete(node);
      const { state } = run;
      const isNow = state.startsWith('locked') && before.startsWith('acquiring');
      if (isNow && 'event' in record && holder !== node && !robbed.has(node)) {
        broken(2, `${node} takes the lock for acquired while ${who()} holds it`);
      }
      const { deadlineMs } = run;
      if (deadlineMs !== null && state.startsWith('acquiring') && clock.nowMs() > deadlineMs + 1) {
        broken(3, `${node} goes on waiting for the lock behind its deadline (${state})`);
      }
      if (!ENDS.has(state)) return;
      if (holder === node) broken(4, `the run of ${node} has ended (${state}) with the lock held`);
      if (run.isLate) turns.add(node);
    },
    died(node) {
      seen.delete(node);
      const run = runs.get(node);
      if (run) run.isResting = true;
    },
    forgot: (node) => void forgotten.add(node),
    faultsOver() {
      isOver = true;
    },
    isHealed: () => isOver,
    jumped(node) {
      const run = runs.get(node);
      if (run) run.hasJumped = true;
    },
  };
}

function newRun(state: string, deadlineMs: number | null, isLate: boolean): Run {
  return { state, deadlineMs, isLate, isResting: false, hasJumped: false };
}

/** The states that a run ends in. */
export const ENDS: ReadonlySet<string> = new Set(['done', 'failed', 'stopped']);
