import { machineModel } from '../../src/diagram/model.ts';
import type { Aim, Base } from './directed.ts';
import { NO_RUN } from './judge.ts';
import { FAULTS } from './steps.ts';
import { TRANSITIONS } from './transitions.ts';
import { UNREACHED_TRANSITIONS, whyNever } from './unreached.ts';

/** What all seeds together have reached, by the names of `Coverage`. */
export interface Reached {
  transitions: ReadonlySet<string>;
  faults: ReadonlySet<string>;
}

/** Where a fault can find a node: in a state of its run, or without one that is on. */
const STATES = [
  NO_RUN,
  ...machineModel()
    .states.filter(({ kind }) => kind !== 'compound')
    .map(({ id }) => id),
];

/** Each fault in each state. */
export const PAIRS = FAULTS.flatMap((fault) => STATES.map((state) => ({ fault, state })));

/** How much that is, in one line. */
export function coverageLine({ transitions, faults }: Reached): string {
  const pairs = PAIRS.filter(({ fault, state }) => faults.has(`${fault}, ${state}`)).length;
  return `${transitions.size} of ${TRANSITIONS.length} transitions taken; ${pairs} of ${PAIRS.length} pairs of a fault and a state`;
}

/** What was not reached, a line each; of the faults those states that they never hit. */
export function unreachedText({ transitions, faults }: Reached): string {
  const rows = FAULTS.flatMap((fault) => {
    const missed = STATES.filter((state) => !faults.has(`${fault}, ${state}`));
    return missed.length === 0 ? [] : [`  ${fault}: ${missed.join(', ')}`];
  });
  return [
    'Transitions that were not taken:',
    ...TRANSITIONS.filter((name) => !transitions.has(name)).map((name) => `  ${name}`),
    'States that a fault has not hit:',
    ...rows,
  ].join('\n');
}

/** How many seeds are tried for one pair. */
const BASES_MAX = 6;

/** What the seeds have not hit, each with the cheapest of them that come to the state. */
export function aimsAtRest({ faults, bases }: Pick<Reached, 'faults'> & Found): Aim[] {
  const known = Map.groupBy(bases, ([state]) => state);
  const cheapest = new Map(
    [...known].map(([state, found]) => {
      const sorted = found
        .map(([, base]) => base)
        .toSorted((one, other) => one.requests - other.requests || one.seed - other.seed);
      return [state, sorted.slice(0, BASES_MAX)] as const;
    }),
  );
  return PAIRS.filter(({ fault, state }) => !faults.has(`${fault}, ${state}`)).flatMap((pair) => {
    const found = cheapest.get(pair.state);
    // What cannot be is tried, too: once.
    const tries = whyNever(pair.fault, pair.state) === null ? BASES_MAX : 1;
    return found === undefined ? [] : [{ ...pair, bases: found.slice(0, tries) }];
  });
}

interface Found {
  bases: readonly [state: string, base: Base][];
}

/** Where what was reached is not what unreached.ts says, a line each. */
export function surprises({ transitions, faults }: Reached): string[] {
  const words = (isReached: boolean, isListed: boolean, what: string) =>
    isReached !== isListed
      ? []
      : [`${isReached ? 'reached, and in' : 'not reached, and not in'} unreached.ts: ${what}`];
  return [
    ...TRANSITIONS.flatMap((name) =>
      words(transitions.has(name), name in UNREACHED_TRANSITIONS, name),
    ),
    ...Object.keys(UNREACHED_TRANSITIONS)
      .filter((name) => !TRANSITIONS.includes(name))
      .map((name) => `no transition of the machine, and in unreached.ts: ${name}`),
    ...PAIRS.flatMap(({ fault, state }) => {
      const pair = `${fault}, ${state}`;
      return words(faults.has(pair), whyNever(fault, state) !== null, pair);
    }),
  ];
}
