import type { JournalRecord } from '../../src/journal/record.ts';
import { ENDS } from '../simulation/judge.ts';
import type { Fact } from './facts.ts';

/** What must not happen, by its number among the invariants of the design. */
export interface Violation {
  invariant: number;
  atMs: number;
  nodes: string[];
  text: string;
}

export interface Judge {
  violations: readonly Violation[];
  holder(): string;
  /** Facts come in etcd's order. */
  fact(fact: Fact): void;
  /** A record of a node's journal, as soon as it is known. */
  record(node: string, record: JournalRecord): void;
  /** The process can do nothing until it is back; a run that rests ends late for no fault of its own. */
  away(node: string): void;
  back(node: string, atMs: number): void;
  /** Its journal is lost, and its run with it. */
  forgets(node: string): void;
  broken(invariant: number, atMs: number, nodes: string[], text: string): void;
  /** Looks for what should long have happened. */
  look(atMs: number): void;
  /** Its last run has ended. */
  isAtRest(node: string): boolean;
  /** The run that a node is in or was in last, as STATE (RUN). */
  stateOf(node: string): string;
  /** Everything has come to rest: nothing may be left behind. */
  rest(atMs: number): void;
}

/** An eviction is tied to the lock by nothing; one that was under way may come so late. */
const EVICTION_LATE_MS = 60_000;
/** A machine with more processes than cores is late, too. */
const DEADLINE_LATE_MS = 15_000;
/** A new process may wait for its API server, twice a request's limit and a whole backoff. */
const LOST_MS = 180_000;
/** Two silent connections, their backoffs and a reboot that never comes, one after the other. */
const TENURE_MAX_MS = 420_000;

interface Run {
  id: string;
  state: string;
  deadlineMs: number | null;
  changedMs: number;
  /** Only its beginning was told, and that comes ahead of the journal: it may be in none. */
  isNew: boolean;
}

interface Member {
  run: Run | null;
  isAway: boolean;
  backMs: number;
  releasedMs: number;
  isCordoned: boolean;
  isCordonedByAdministrator: boolean;
  intends: 'cordon' | 'uncordon' | null;
  isUpgrading: boolean;
  isDown: boolean;
}

/** Holds what happens to the invariants. Knows no clock: the time comes with what it is told. */
export function createJudge(nodes: readonly string[]): Judge {
  const violations: Violation[] = [];
  const members = new Map(nodes.map((node) => [node, newMember()]));
  /** What the lock said from a revision on. */
  const locks = new Map<number, string>();
  /** Pods that are on their way out already. */
  const leaving = new Set<string>();
  /** Locks that a journal says were acquired, at revisions that have not come yet. */
  let claims: { node: string; revision: number; atMs: number }[] = [];
  let holder = '';
  let heldSinceMs = 0;
  let revision = 0;

  const memberOf = (node: string): Member => {
    const member = members.get(node);
    if (member === undefined) throw new Error(`${node} is not of the fleet`);
    return member;
  };
  const broken: Judge['broken'] = (invariant, atMs, names, text) => {
    violations.push({ invariant, atMs, nodes: names, text });
  };
  const who = () => (holder === '' ? 'nobody' : holder);
  const disturbances = ({ isCordoned, isCordonedByAdministrator, isUpgrading, isDown }: Member) => [
    ...(isCordoned && !isCordonedByAdministrator ? ['cordoned'] : []),
    ...(isUpgrading ? ['upgrading'] : []),
    ...(isDown ? ['down'] : []),
  ];
  /** Of the whole cluster, after something was disturbed. */
  const checkDisturbed = (node: string, atMs: number, what: string) => {
    if (holder !== node) broken(1, atMs, [node], `${node} ${what} while ${who()} holds the lock`);
    const all = [...members].filter(([, member]) => disturbances(member).length > 0);
    if (all.length < 2) return;
    const list = all.map(([name, member]) => `${name} (${disturbances(member).join(', ')})`);
    const names = all.map(([name]) => name);
    broken(1, atMs, names, `nodes are disturbed at once: ${list.join(' and ')}`);
  };

  const onLock = (next: string, atMs: number) => {
    locks.set(revision, next);
    if (next === holder) return;
    const before = holder;
    holder = next;
    heldSinceMs = atMs;
    if (next !== '' && !members.has(next)) broken(1, atMs, [], `the lock names ${next}, no node`);
    if (before === '' || !members.has(before)) return;
    const member = memberOf(before);
    member.releasedMs = atMs;
    if (next !== '') broken(1, atMs, [before, next], `the lock went from ${before} to ${next}`);
    const left = disturbances(member);
    if (left.length === 0) return;
    const invariant = left.includes('cordoned') ? 5 : 1;
    broken(invariant, atMs, [before], `${before} let go of the lock and is ${left.join(', ')}`);
  };
  const onNode = (fact: Extract<Fact, { kind: 'node' }>) => {
    const { node, isCordoned, isMarked, atMs } = fact;
    if (!members.has(node)) return;
    const member = memberOf(node);
    if (isCordoned === member.isCordoned) return;
    member.isCordoned = isCordoned;
    const { intends } = member;
    if (isCordoned) {
      if (!isMarked && intends === 'cordon') {
        member.isCordonedByAdministrator = true;
        return;
      }
      if (!isMarked) broken(5, atMs, [node], `${node} is cordoned and nothing says by whom`);
      checkDisturbed(node, atMs, 'is cordoned');
      return;
    }
    if (member.isCordonedByAdministrator && intends !== 'uncordon') {
      broken(5, atMs, [node], `${node} is uncordoned, and was cordoned by somebody else`);
    }
    member.isCordonedByAdministrator = false;
  };
  const onPod = ({ pod, uid, node, isLeaving, isGone, atMs }: Extract<Fact, { kind: 'pod' }>) => {
    if (isGone || !isLeaving || leaving.has(uid) || !members.has(node)) return;
    leaving.add(uid);
    if (holder === node || atMs - memberOf(node).releasedMs < EVICTION_LATE_MS) return;
    broken(1, atMs, [node], `${pod} is evicted from ${node} while ${who()} holds the lock`);
  };
  const onHost = ({ node, change, atMs }: Extract<Fact, { kind: 'host' }>) => {
    const member = memberOf(node);
    switch (change) {
      case 'upgrade begins':
        member.isUpgrading = true;
        return checkDisturbed(node, atMs, 'upgrades');
      case 'upgrade ends':
      case 'loses power':
        member.isUpgrading = false;
        return;
      case 'goes down':
        member.isUpgrading = false;
        member.isDown = true;
        return checkDisturbed(node, atMs, 'reboots');
      case 'is up':
        member.isDown = false;
    }
  };

  const settleClaims = () => {
    const due = claims.filter((claim) => claim.revision <= revision);
    if (due.length === 0) return;
    claims = claims.filter((claim) => claim.revision > revision);
    for (const { node, revision: at, atMs } of due) {
      const value = locks.get(at);
      if (value === node) continue;
      const said = value === undefined ? 'is no change of it' : `says ${value || 'nobody'}`;
      broken(2, atMs, [node], `${node} has the lock by revision ${at}, which ${said}`);
    }
  };
  const checkAcquired = (node: string, record: JournalRecord) => {
    const lock = 'event' in record && 'lock' in record.event ? record.event.lock : null;
    if (lock === null || lock.value !== node) {
      const by = 'event' in record ? record.event.type : 'nothing';
      return broken(2, record.atMs, [node], `${node} takes the lock for acquired by ${by}`);
    }
    claims.push({ node, revision: Number(lock.resourceVersion), atMs: record.atMs });
    settleClaims();
  };
  const checkDeadline = (node: string, { state, deadlineMs }: Run, atMs: number) => {
    const { isAway, backMs } = memberOf(node);
    if (isAway || deadlineMs === null || !state.startsWith('acquiring')) return;
    const lateMs = atMs - Math.max(deadlineMs, backMs);
    if (lateMs < DEADLINE_LATE_MS) return;
    const lateS = (lateMs / 1_000).toFixed(1);
    broken(3, atMs, [node], `${node} waits for the lock ${lateS} s behind its deadline (${state})`);
  };

  return {
    violations,
    holder: () => holder,
    broken,
    fact(fact) {
      revision = fact.revision;
      if (fact.kind === 'lock') onLock(fact.holder, fact.atMs);
      if (fact.kind === 'node') onNode(fact);
      if (fact.kind === 'pod') onPod(fact);
      if (fact.kind === 'host') onHost(fact);
      if (fact.kind === 'administrator') memberOf(fact.node).intends = fact.does;
      settleClaims();
    },
    record(node, record) {
      const member = memberOf(node);
      const { state, atMs, run: id } = record;
      if ('input' in record) {
        const { run } = member;
        if (run && !run.isNew && !ENDS.has(run.state)) {
          broken(
            4,
            atMs,
            [node],
            `${node} begins a run and has forgotten ${run.id} (${run.state})`,
          );
        }
        const { deadlineMs } = record;
        member.run = { id, state, deadlineMs, changedMs: atMs, isNew: true };
        return;
      }
      const before = member.run ?? newRun(id, state, atMs);
      const { type } = record.event;
      if (type !== 'run.interrupted' && type !== 'run.resumed') {
        checkDeadline(node, before, atMs);
      }
      const isAcquired = state.startsWith('locked') && before.state.startsWith('acquiring');
      if (isAcquired) checkAcquired(node, record);
      member.run = { ...before, id, state, changedMs: atMs, isNew: false };
    },
    away(node) {
      memberOf(node).isAway = true;
    },
    back(node, atMs) {
      Object.assign(memberOf(node), { isAway: false, backMs: atMs });
    },
    forgets(node) {
      memberOf(node).run = null;
    },
    look(atMs) {
      for (const [node, { run, isAway }] of members) {
        if (run && !isAway) checkDeadline(node, run, atMs);
      }
      if (holder === '' || !members.has(holder)) return;
      const { run, isAway, backMs } = memberOf(holder);
      const isIdle = !isAway && (run === null || ENDS.has(run.state));
      const idleMs = atMs - Math.max(backMs, heldSinceMs, run?.changedMs ?? 0);
      if (isIdle && idleMs > LOST_MS) {
        broken(4, atMs, [holder], `${holder} has the lock and no run (${run?.state ?? 'none'})`);
      } else if (!isAway && atMs - Math.max(backMs, heldSinceMs) > TENURE_MAX_MS) {
        broken(4, atMs, [holder], `${holder} keeps the lock (${run?.state ?? 'no run'})`);
      }
    },
    isAtRest(node) {
      const { run } = memberOf(node);
      return run === null || ENDS.has(run.state);
    },
    stateOf(node) {
      const { run } = memberOf(node);
      return run === null ? 'no run' : `${run.state} (${run.id})`;
    },
    rest(atMs) {
      if (holder !== '') broken(4, atMs, [holder], `all is at rest, and ${holder} has the lock`);
      for (const [node, member] of members) {
        const left = disturbances(member);
        if (left.length > 0) {
          broken(5, atMs, [node], `all is at rest, and ${node} is ${left.join(', ')}`);
        }
      }
      for (const { node, revision: at } of claims) {
        broken(2, atMs, [node], `${node} has the lock by revision ${at}, which never was`);
      }
    },
  };
}

function newRun(id: string, state: string, changedMs: number): Run {
  return { id, state, deadlineMs: null, changedMs, isNew: false };
}

function newMember(): Member {
  return {
    run: null,
    isAway: true,
    backMs: 0,
    releasedMs: Number.NEGATIVE_INFINITY,
    isCordoned: false,
    isCordonedByAdministrator: false,
    intends: null,
    isUpgrading: false,
    isDown: false,
  };
}
