import { machineModel } from '../../src/diagram/model.ts';
import { type Aim, type Base, NO_RUN } from './directed.ts';
import { FAULTS } from './steps.ts';
import { TRANSITIONS } from './transitions.ts';

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

const PAIRS = FAULTS.flatMap((fault) => STATES.map((state) => ({ fault, state })));

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
    return found === undefined ? [] : [{ ...pair, bases: found }];
  });
}

interface Found {
  bases: readonly [state: string, base: Base][];
}
