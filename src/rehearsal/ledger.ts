/** What happened to the lock and on the hosts, in order; times are ms since the epoch. */
export type Entry =
  | { type: 'lock'; atMs: number; holder: string }
  | { type: 'upgrade.started' | 'upgrade.ended'; atMs: number; node: string };

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
 * from one node to another without having been free was held by two, and no host is upgraded on a
 * node that does not hold it.
 */
export function judge(entries: Entry[]): Judgement {
  const holds: Hold[] = [];
  const handOffsMs: number[] = [];
  const violations: string[] = [];
  const upgrading = new Set<string>();
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
      const last = holds.at(-1);
      if (last && holder !== '') last.untilMs = atMs;
      if (entry.holder !== '') {
        if (last) handOffsMs.push(atMs - (last.untilMs ?? atMs));
        holds.push({ node: entry.holder, fromMs: atMs, untilMs: null });
      }
      holder = entry.holder;
    } else if (entry.type === 'upgrade.started') {
      if (entry.node !== holder) {
        wrong(`${entry.node} upgrades while ${holder === '' ? 'nobody' : holder} holds the lock`);
      }
      upgrading.add(entry.node);
    } else {
      upgrading.delete(entry.node);
    }
  }
  if (holder !== '') violations.push(`the lock is still held by ${holder} at the end`);
  return { holds, handOffsMs, violations };
}

/** `HH:MM:SS.mmm`, UTC. */
export function clockTime(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23);
}
