import type { JournalRecord } from '../../src/journal/record.ts';
import { percentile } from '../bench/turns.ts';
import { ENDS } from '../simulation/judge.ts';
import type { Fact } from './facts.ts';

/** What was done in a chaos, in counts and times. */
export interface Tally {
  fault(kind: string): void;
  fact(fact: Fact): void;
  record(node: string, record: JournalRecord): void;
  /** Of the API server to an agent. */
  answer(answer: string): void;
  /** An end of a process that nobody had told to end. */
  exit(code: number | string): void;
  /** How often it was so. */
  count(group: Group, name: string): number;
  /** In one line, for those who wait. */
  line(): string;
  /** In one table, for the end. */
  text(starts: number): string;
}

export type Group = 'faults' | 'runs' | 'answers' | 'events' | 'exits';

/** What makes a run fail, as far as an event of it says so. */
const REASONS = new Set([
  'deadline.reached',
  'upgrade.failed',
  'drain.failed',
  'drain.expired',
  'reboot.refused',
  'reboot.expired',
]);
export function createTally(): Tally {
  const counts = new Map<string, number>();
  const reasons = new Map<string, string>();
  const disturbed = { tenures: 0, heldSinceMs: 0, freeSinceMs: 0, holder: '' };
  const tenuresMs: number[] = [];
  const handOffsMs: number[] = [];

  const add = (group: Group, name: string) => {
    const key = `${group} ${name}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  const groupOf = (group: Group) =>
    [...counts]
      .filter(([key]) => key.startsWith(`${group} `))
      .map(([key, count]) => [key.slice(group.length + 1), count] as const)
      .sort(([a], [b]) => a.localeCompare(b));
  const sum = (group: Group) => groupOf(group).reduce((all, [, count]) => all + count, 0);
  const onLock = (holder: string, atMs: number) => {
    if (holder === disturbed.holder) return;
    if (disturbed.holder !== '') {
      tenuresMs.push(atMs - disturbed.heldSinceMs);
      disturbed.freeSinceMs = atMs;
    }
    if (holder !== '') {
      if (disturbed.freeSinceMs > 0) handOffsMs.push(atMs - disturbed.freeSinceMs);
      disturbed.heldSinceMs = atMs;
    }
    disturbed.holder = holder;
  };

  return {
    fault: (kind) => add('faults', kind),
    fact(fact) {
      if (fact.kind === 'lock') onLock(fact.holder, fact.atMs);
      if (fact.kind === 'host' && fact.change !== 'upgrade ends') add('events', fact.change);
      if (fact.kind === 'node' && fact.isMarked) add('events', 'cordon');
    },
    record(node, record) {
      if ('input' in record) {
        reasons.delete(node);
        return;
      }
      const { event, state } = record;
      if (event.type === 'run.resumed') add('events', 'run resumed');
      if (event.type === 'pod.evicted') add('events', 'eviction');
      if (event.type === 'pod.blocked') add('events', 'eviction refused');
      if (REASONS.has(event.type)) reasons.set(node, event.type);
      if (!ENDS.has(state)) return;
      const reason = reasons.get(node) ?? 'other';
      add('runs', state === 'failed' ? `failed (${reason})` : state);
    },
    answer: (answer) => add('answers', answer),
    exit: (code) => add('exits', String(code)),
    count: (group, name) => counts.get(`${group} ${name}`) ?? 0,
    line: () =>
      `${sum('faults')} faults, ${sum('runs')} runs (${groupOf('runs').map(words).join(', ')}), ${tenuresMs.length} tenures, lock ${disturbed.holder || 'free'}`,
    text(starts) {
      const rows = (group: Group) => groupOf(group).map(words).join(', ') || 'none';
      const lines: [string, string][] = [
        ['faults', rows('faults')],
        ['runs by end', rows('runs')],
        ['agents started', `${starts} times; gave up by exit code: ${rows('exits')}`],
        ['hosts and nodes', rows('events')],
        ['answers of the API', rows('answers')],
        [
          'lock tenures',
          `${tenuresMs.length}; p50 ${seconds(tenuresMs, 0.5)}, longest ${seconds(tenuresMs, 1)}`,
        ],
        [
          'hand-offs',
          `${handOffsMs.length}; p50 ${seconds(handOffsMs, 0.5)}, longest ${seconds(handOffsMs, 1)}`,
        ],
      ];
      return lines.map(([name, value]) => `${name.padEnd(20)}${value}`).join('\n');
    },
  };
}

function words([name, count]: readonly [string, number]): string {
  return `${count} ${name}`;
}

/** The value below which `share` of them lie. */
function seconds(valuesMs: number[], share: number): string {
  return valuesMs.length === 0 ? 'none' : `${(percentile(valuesMs, share) / 1_000).toFixed(2)} s`;
}
