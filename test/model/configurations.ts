import type { Configuration } from './spin.ts';

/** What holds, with the least number of states that a search of it must have seen. */
export interface Proven extends Configuration {
  name: string;
  statesMin: number;
}

export const SAFETY: Proven[] = [
  {
    name: 'three nodes, any number of faults',
    defines: ['AGENTS=3'],
    statesMin: 1_000_000,
  },
  {
    name: 'three nodes whose hosts lose power, and what their journals had not flushed',
    defines: ['AGENTS=3', 'POWER'],
    statesMin: 4_000_000,
  },
  {
    name: 'three nodes whose journals get lost',
    defines: ['AGENTS=3', 'FORGET'],
    statesMin: 1_500_000,
  },
  {
    name: 'two nodes beside one of the Go program',
    defines: ['AGENTS=2', 'ORIGINALS=1'],
    statesMin: 300_000,
  },
  {
    name: 'three nodes, the lock taken away by hand once, and one fault',
    defines: ['AGENTS=3', 'BYHAND=1', 'FAULTS=1'],
    statesMin: 3_000_000,
  },
  {
    name: 'two nodes, the lock taken away by hand twice, any number of faults',
    defines: ['AGENTS=2', 'BYHAND=2'],
    statesMin: 200_000,
  },
];

const FLEETS = [
  { name: 'three nodes', defines: ['AGENTS=3'], statesMin: 500_000 },
  {
    name: 'two nodes beside the Go program',
    defines: ['AGENTS=2', 'ORIGINALS=1'],
    statesMin: 150_000,
  },
];

/** In the long run, once the faults (one, at any moment) have ended. */
export const LIVENESS: Proven[] = FLEETS.flatMap(({ name, defines, statesMin }) =>
  (['free', 'progress'] as const).map((property) => ({
    name: `${property}: ${name}, after one fault`,
    defines: [...defines, 'FAULTS=1'],
    property,
    statesMin,
  })),
);

/** A variant that must be found wrong, and what must be found of it. */
export interface Broken extends Configuration {
  name: string;
  finds: RegExp;
}

const EXCLUSION = /assertion violated \( ?!\(\(\(unit\[k\]/;
const NOT_OWN = /assertion violated \(lock==me\)/;
const NOT_RELEASED = /assertion violated \(\(lock!=me\)&& !\(lateAcquire\[me\]\)\)/;
const CYCLE = /acceptance cycle/;

const broken = (
  number: number,
  name: string,
  finds: RegExp,
  more: Partial<Configuration> = {},
): Broken => ({
  name,
  finds,
  ...more,
  defines: ['AGENTS=2', `BROKEN=${number}`, ...(more.defines ?? [])],
});

export const BROKEN: Broken[] = [
  broken(1, 'the resourceVersion is no precondition', NOT_OWN),
  broken(2, 'a lost answer is retried as if it had not happened', NOT_RELEASED),
  broken(3, 'no fence at the deadline', NOT_RELEASED),
  broken(4, 'a release without looking whether the lock is its own', NOT_OWN),
  broken(5, 'an acquire is journalled after its effect', NOT_RELEASED, { defines: ['POWER'] }),
  broken(6, 'the end of a watch is taken for the lock', EXCLUSION),
  broken(7, 'a restart forgets the acquire that was under way', NOT_RELEASED),
  broken(8, 'the lock is released before the node is uncordoned', EXCLUSION),
  broken(9, 'a restart releases the lock of an upgrade that still runs', EXCLUSION),
  broken(10, 'a drain without reading the lock again', /\(\(lock==me\)&& !\(unlocked\[me\]\)\)/, {
    defines: ['BYHAND=1'],
  }),
  broken(11, "the watch's refusal is taken for the acquire's", NOT_RELEASED),
  broken(12, 'the deadline ends a run whose acquire is out', NOT_RELEASED),
  broken(13, 'a fence that conflicts is taken for done', NOT_RELEASED),
  broken(14, 'a release without an answer is taken for done', NOT_RELEASED),
  broken(15, 'a conflict is retried without reading again', CYCLE, {
    defines: ['FAULTS=1'],
    property: 'free',
  }),
  {
    name: "the original's own fault: killed in an upgrade, it releases at its next start",
    defines: ['AGENTS=2', 'ORIGINALS=1', 'KILL_ORIGINAL'],
    finds: EXCLUSION,
  },
];
