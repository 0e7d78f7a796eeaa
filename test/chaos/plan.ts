import { createRandom, type Random } from '../../src/rehearsal/random.ts';

/** Which agent a fault is for: the one of this index, the one that holds the lock just then, or all. */
export type Target = number | 'holder' | 'all';

export type Fault =
  /** SIGKILL; SIGTERM; another process comes `downMs` later. */
  | { kind: 'kill' | 'restart'; target: Target; downMs: number }
  /** SIGSTOP, and SIGCONT. */
  | { kind: 'pause'; target: Target; forMs: number }
  /** The host is gone and boots again; its upgrade is gone, too. */
  | { kind: 'power'; target: Target; downMs: number }
  /** The agent's disk is lost, and its journal with it. */
  | { kind: 'wipe'; target: Target; downMs: number }
  /** To the connections there are: RST, FIN, the server's half FIN, or silence for good. */
  | { kind: 'reset' | 'close' | 'half-close' | 'freeze'; target: Target }
  /** What is sent arrives late, also when its sender is gone by then. */
  | { kind: 'delay'; target: Target; forMs: number; delayMs: number }
  /** To all connections, new ones too: refused; accepted and never answered. */
  | { kind: 'refuse' | 'black-hole'; target: Target; forMs: number }
  /** The API server: SIGKILL, SIGTERM. */
  | { kind: 'api-kill' | 'api-terminate'; downMs: number }
  /** Old versions are gone from etcd. */
  | { kind: 'compact' }
  /** And from the API server's memory: a watch from an old version is answered with 410. */
  | { kind: 'compact-restart' }
  /** Another certificate by another authority; the agents' bundle is renewed `lateMs` later. */
  | { kind: 'certificate'; lateMs: number }
  /** The token in the file has expired, and is not renewed in time. */
  | { kind: 'token'; target: Target; forMs: number }
  /** Priority and fairness has no seat for the agents: 429 with Retry-After. */
  | { kind: 'throttle'; forMs: number }
  /** An administrator cordons a node, and uncordons it. */
  | { kind: 'cordon'; target: Target; forMs: number };

export type FaultKind = Fault['kind'];
export type TimedFault = { atMs: number } & Fault;

/** How often each comes in a deck; the control plane's by themselves. */
const DECK: Record<string, number> = {
  kill: 8,
  pause: 4,
  restart: 3,
  power: 1,
  wipe: 1,
  reset: 2,
  close: 1,
  'half-close': 2,
  freeze: 1,
  delay: 2,
  refuse: 1,
  'black-hole': 1,
  compact: 1,
  token: 2,
  throttle: 2,
  cordon: 2,
  'control-plane': 2,
};
const CONTROL_PLANE = ['api-kill', 'compact-restart', 'certificate', 'api-terminate'];
const GAP_MS = [500, 3_000] as const;

/**
 * Faults for `forMs`, as they follow from the seed: in each minute nearly every kind comes once. Of
 * those who are killed without the lock, all others come before one comes again.
 */
export function drawFaults(seed: number, agents: number, forMs: number): TimedFault[] {
  const random = createRandom(seed, 'chaos');
  const nextOf = endless(random, () =>
    Object.entries(DECK).flatMap(([kind, times]) => Array.from({ length: times }, () => kind)),
  );
  const nextControlPlane = endless(random, () => CONTROL_PLANE);
  const nextKilled = endless(random, () => Array.from({ length: agents }, (_, index) => index));
  const faults: TimedFault[] = [];
  for (let atMs = random.between(...GAP_MS); atMs < forMs; atMs += random.between(...GAP_MS)) {
    const drawn = nextOf();
    const kind = (drawn === 'control-plane' ? nextControlPlane() : drawn) as FaultKind;
    const fault = draw(kind, random, agents);
    if (fault.kind === 'kill' && fault.target !== 'holder') fault.target = nextKilled();
    faults.push({ atMs, ...fault });
  }
  return faults;
}

/** Cards from shuffled decks, one deck after the other. */
function endless<T>(random: Random, deckOf: () => readonly T[]): () => T {
  let deck: T[] = [];
  return () => {
    if (deck.length === 0) deck = shuffled(deckOf(), random);
    return deck.pop() as T;
  };
}

function shuffled<T>(values: readonly T[], random: Random): T[] {
  const all = values.map((value) => ({ value, key: random.next() }));
  return all.sort((a, b) => a.key - b.key).map(({ value }) => value);
}

function draw(kind: FaultKind, random: Random, agents: number): Fault {
  const one = (): Target => (random.next() < 0.3 ? 'holder' : random.between(0, agents - 1));
  const any = (): Target => (random.next() < 0.25 ? 'all' : one());
  const ms = (least: number, most: number) => random.between(least, most);
  switch (kind) {
    case 'kill':
      // Mostly at once, as a container's runtime does.
      return { kind, target: one(), downMs: ms(200, 2_000) };
    case 'restart':
      return { kind, target: one(), downMs: ms(200, 2_000) };
    case 'pause':
      return { kind, target: one(), forMs: ms(1_000, 8_000) };
    case 'power':
    case 'wipe':
      return { kind, target: one(), downMs: ms(1_000, 4_000) };
    case 'reset':
    case 'close':
    case 'half-close':
      return { kind, target: any() };
    case 'freeze':
      return { kind, target: one() };
    case 'delay':
      return { kind, target: any(), forMs: ms(2_000, 8_000), delayMs: ms(100, 3_000) };
    case 'refuse':
      return { kind, target: any(), forMs: ms(1_000, 4_000) };
    case 'black-hole':
      return { kind, target: one(), forMs: ms(1_000, 5_000) };
    case 'api-kill':
    case 'api-terminate':
      return { kind, downMs: ms(0, 3_000) };
    case 'compact':
    case 'compact-restart':
      return { kind };
    case 'certificate':
      return { kind, lateMs: ms(1_000, 6_000) };
    case 'token':
      return { kind, target: any(), forMs: ms(2_000, 8_000) };
    case 'throttle':
      return { kind, forMs: ms(2_000, 6_000) };
    case 'cordon':
      return { kind, target: random.between(0, agents - 1), forMs: ms(3_000, 15_000) };
  }
}
