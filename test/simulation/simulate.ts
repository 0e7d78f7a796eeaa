import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseFlags, runTool, UsageError } from '../tool.ts';
import { aimsAtRest, coverageLine, surprises, unreachedText } from './coverage-text.ts';
import { simulate } from './fleet.ts';
import type { Violation } from './judge.ts';
import type { Plan, Size } from './plan.ts';
import { failureText } from './report.ts';
import { SCENES, scenePlan } from './scenes.ts';
import { shrink } from './shrink.ts';
import type { Answer, Order } from './worker.ts';
import { carryOutAll, noTotals } from './workers.ts';

const HELP = `npm run simulate -- [--seeds FIRST..LAST] [--nodes N] [--minutes M] [--aimed] [--directed] [--coverage] [--jobs N] [--save DIR]
npm run simulate -- --plan FILE

Whole fleets in virtual time, with faults that follow from the seed; the invariants are checked at
every step. Exit code 0: none violated, 1: one is, 2: bad arguments.

  --seeds    which seeds; 1..1000 where not given
  --nodes    how many nodes instead of 2 to 5; above 100 it is a rollout without faults, whose
             cost is checked: each change of the lock goes to all who wait, so that the time grows
             with the square
  --minutes  for how long faults come, in virtual time, instead of 4 to 12; above 100 nodes how
             long the window is, instead of long enough for all
  --aimed    some of the faults wait until a run is in a state that is drawn, too; without it, in every
             fourth seed
  --directed behind the seeds, a plan for each pair of a fault and a state that they have not reached;
             1 also where what was reached is not what unreached.ts says
  --coverage lists what was not reached: transitions of the machine, and states by fault
  --jobs     how many at once; one for each core where not given
  --save     where a failing plan and its journals are written; simulation-failures where not given
  --plan     runs a plan that was written there
`;

interface Options {
  first: number;
  last: number;
  size: Size;
  jobs: number;
  isCovered: boolean;
  isDirected: boolean;
  save: string;
  plan: string | null;
}

function readOptions(args: string[]): Options {
  const { values } = parse(args);
  const seeds = /^(\d{1,9})(?:\.\.(\d{1,9}))?$/.exec(values.seeds);
  if (!seeds) throw new UsageError(`--seeds=${values.seeds}: give a range such as 1..1000`);
  const first = Number(seeds[1]);
  const last = Number(seeds[2] ?? seeds[1]);
  if (last < first) throw new UsageError(`--seeds=${values.seeds}: the last is below the first`);
  return {
    first,
    last,
    size: {
      nodes: number('nodes', values.nodes, 5_000),
      minutes: number('minutes', values.minutes, 600),
      isAimed: values.aimed,
    },
    jobs: number('jobs', values.jobs, 256) ?? availableParallelism(),
    isCovered: values.coverage,
    isDirected: values.directed,
    save: values.save,
    plan: values.plan ?? null,
  };
}

function parse(args: string[]) {
  return parseFlags({
    args,
    options: {
      seeds: { type: 'string', default: '1..1000' },
      nodes: { type: 'string' },
      minutes: { type: 'string' },
      coverage: { type: 'boolean', default: false },
      aimed: { type: 'boolean', default: false },
      directed: { type: 'boolean', default: false },
      jobs: { type: 'string' },
      save: { type: 'string', default: 'simulation-failures' },
      plan: { type: 'string' },
    },
  });
}

function number(name: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  throw new UsageError(`--${name}=${text}: give a number from 1 to ${most}`);
}

function readPlan(path: string): Plan {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Plan;
  } catch (error) {
    throw new UsageError(`--plan=${path}: ${(error as Error).message}`);
  }
}

const SEEDS_CHUNK = 50;
const AIMS_CHUNK = 10;

/** All seeds, in order as far as several at once can be; then what they have not reached. */
async function simulateAll(options: Options): Promise<Answer> {
  const { first, last, size, jobs, isDirected } = options;
  const totals = noTotals();
  const count = last - first + 1;
  const isTerminal = process.stderr.isTTY;
  const show = (whole: string) => {
    if (isTerminal) process.stderr.write(`\r${totals.plans} of ${whole} `);
  };
  const orders = chunks(
    Array.from({ length: count }, (_, index) => first + index),
    SEEDS_CHUNK,
  ).map((seeds): Order => {
    return { kind: 'seeds', first: seeds[0] ?? first, last: seeds.at(-1) ?? last, size };
  });
  await carryOutAll(orders, jobs, totals, () => show(`${count} seeds`));
  if (isDirected && totals.failure === null) {
    const scenes: Order = { kind: 'plans', plans: Object.values(SCENES).map(scenePlan) };
    const aims = chunks(aimsAtRest(totals), AIMS_CHUNK).map((some): Order => {
      return { kind: 'aims', aims: some };
    });
    await carryOutAll([scenes, ...aims], jobs, totals, () => show('seeds and directed plans'));
  }
  if (isTerminal) process.stderr.write('\r\x1b[K');
  return totals;
}

function chunks<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

/** Makes it small, writes it down, and tells. */
async function explain(
  plan: Plan,
  violation: Violation,
  isDirected: boolean,
  save: string,
): Promise<string> {
  const { plan: smallest, trials } = await shrink(plan, violation.invariant);
  const told = await simulate(smallest, { isTold: true });
  mkdirSync(save, { recursive: true });
  const planFile = join(save, `seed-${plan.seed}.json`);
  writeFileSync(planFile, `${JSON.stringify(smallest, null, 2)}\n`);
  const journals = smallest.nodes.flatMap(({ name }) => {
    const records = told.history.flatMap(({ node, record }) =>
      node === name && record ? [record] : [],
    );
    if (records.length === 0) return [];
    const path = join(save, `seed-${plan.seed}-${name}.ndjson`);
    writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    return [path];
  });
  return failureText(
    plan.seed,
    isDirected,
    told.violations[0] ?? violation,
    { plan: smallest, trials, entries: told.history },
    { plan: planFile, journals },
  );
}

async function main(args: string[]): Promise<number> {
  const options = readOptions(args);
  if (options.plan !== null) {
    const plan = readPlan(options.plan);
    const { violations, runs } = await simulate(plan);
    const [violation] = violations;
    if (violation) process.stdout.write(`${await explain(plan, violation, false, options.save)}\n`);
    else process.stdout.write(`${options.plan}: nothing is violated; ${runs} node-runs\n`);
    return violation ? 1 : 0;
  }
  const startedMs = performance.now();
  const totals = await simulateAll(options);
  const tookS = (performance.now() - startedMs) / 1_000;
  if (totals.failure) {
    const { plan, violation } = totals.failure;
    const isDirected = totals.plans > options.last - options.first + 1;
    process.stdout.write(`${await explain(plan, violation, isDirected, options.save)}\n`);
  }
  const { plans, runs, requests, virtualMs } = totals;
  const seeds = Math.min(plans, options.last - options.first + 1);
  const directed = options.isDirected ? ` and ${plans - seeds} directed plans` : '';
  process.stdout.write(
    `${seeds} seeds${directed}, ${totals.failure ? 1 : 0} violated; ${runs} node-runs in ${tookS.toFixed(0)} s (${(runs / tookS).toFixed(0)} a second), ${(virtualMs / 3_600_000).toFixed(0)} virtual hours, ${(requests / runs).toFixed(1)} requests a run\n${coverageLine(totals)}\n`,
  );
  if (options.isCovered) process.stdout.write(`${unreachedText(totals)}\n`);
  const wrong = options.isDirected && !totals.failure ? surprises(totals) : [];
  for (const line of wrong) process.stdout.write(`${line}\n`);
  return totals.failure || wrong.length > 0 ? 1 : 0;
}

await runTool('simulate', HELP, main);
