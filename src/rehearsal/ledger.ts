/** What happened to the lock and on the hosts, in order; times are ms since the epoch. */
export type Entry =
  | { type: 'lock'; atMs: number; holder: string }
  | {
      type: 'upgrade.started' | 'upgrade.ended' | 'cordoned' | 'uncordoned' | 'down' | 'up';
      atMs: number;
      node: string;
    };

/** One time that a node held the lock; `untilMs` is null where it still does. */
export interface Hold {
  node: string;
  fromMs: number;
  untilMs: number | null;
}

export interface Judgement {
  holds: Hold[];
  /** From each release to the next acquire, ms. */
  handOffsMs: number[];
  /** What must never happen, one line each. */
  violations: string[];
}

/**
 * Judges a rollout by the lock's own history, as the API server's store has it: a lock that goes
 * from one node to another without having been free was held by two, and nothing is upgraded,
 * cordoned or rebooted on a node that does not hold it. At the end no node is left cordoned, but
 * for one that `isGone`: a host that never comes back.
 */
export function judge(entries: Entry[], isGone = (_node: string) => false): Judgement {
  const holds: Hold[] = [];
  const handOffsMs: number[] = [];
  const violations: string[] = [];
  const upgrading = new Set<string>();
  const cordoned = new Set<string>();
  let holder = '';
  for (const entry of entries) {
    const { atMs } = entry;
    const wrong = (what: string) => violations.push(`${clockTime(atMs)} ${what}`);
    if (entry.type === 'lock') {
      if (entry.holder === holder) continue;
      if (holder !== '' && entry.holder !== '') {
        wrong(`${entry.holder} took the lock that ${holder} held`);
      }
      if (upgrading.has(holder)) wrong(`${holder} lost the lock during its upgrade`);
      if (cordoned.has(holder)) wrong(`${holder} lost the lock while it was cordoned`);
      const last = holds.at(-1);
      if (last && holder !== '') last.untilMs = atMs;
      if (entry.holder !== '') {
        if (last) handOffsMs.push(atMs - (last.untilMs ?? atMs));
        holds.push({ node: entry.holder, fromMs: atMs, untilMs: null });
      }
      holder = entry.holder;
      continue;
    }
    const { node } = entry;
    const what = CHANGES[entry.type];
    if (what !== undefined && node !== holder) {
      wrong(`${node} ${what} while ${holder === '' ? 'nobody' : holder} holds the lock`);
    }
    if (entry.type === 'upgrade.started') upgrading.add(node);
    else if (entry.type === 'upgrade.ended') upgrading.delete(node);
    else if (entry.type === 'cordoned') cordoned.add(node);
    else if (entry.type === 'uncordoned') cordoned.delete(node);
    if (entry.type === 'cordoned' && cordoned.size > 1) {
      wrong(`${[...cordoned].join(' and ')} are cordoned at once`);
    }
  }
  for (const node of cordoned) {
    if (!isGone(node)) violations.push(`${node} is still cordoned at the end`);
  }
  if (holder !== '' && !isGone(holder))
    violations.push(`the lock is still held by ${holder} at the end`);
  return { holds, handOffsMs, violations };
}

/** What only the holder of the lock may do. */
const CHANGES: Partial<Record<Entry['type'], string>> = {
  'upgrade.started': 'upgrades',
  cordoned: 'is cordoned',
  down: 'goes down',
};

/** `HH:MM:SS.mmm`, UTC. */
export function clockTime(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23);
}
