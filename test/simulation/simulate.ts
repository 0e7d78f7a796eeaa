import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { parseFlags, runTool, UsageError } from '../tool.ts';
import { coverageLine, unreachedText } from './coverage-text.ts';
import { simulate } from './fleet.ts';
import type { Violation } from './judge.ts';
import { drawPlan, type Plan, type Size } from './plan.ts';
import { failureText } from './report.ts';
import { shrink } from './shrink.ts';
import type { Answer, Order } from './worker.ts';

const HELP = `npm run simulate -- [--seeds FIRST..LAST] [--nodes N] [--minutes M] [--aimed] [--coverage] [--jobs N] [--save DIR]
npm run simulate -- --plan FILE

Whole fleets in virtual time, with faults that follow from the seed; the invariants are checked at
every step. Exit code 0: none violated, 1: one is, 2: bad arguments.

  --seeds    which seeds; 1..1000 where not given
  --nodes    how many nodes instead of 2 to 5; above 100 it is a rollout without faults, whose
             cost is checked: each change of the lock goes to all who wait, so that the time grows
             with the square
  --minutes  for how long faults come, in virtual time, instead of 4 to 12; above 100 nodes how
             long the window is, instead of long enough for all
  --aimed    some of the faults wait until a run is in a state that is drawn, too
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

type Totals = Answer;

const CHUNK = 50;

/** All seeds, in order as far as several at once can be; the first that fails ends it. */
async function simulateAll({ first, last, size, jobs }: Options): Promise<Totals> {
  const totals: Totals = {
    seeds: 0,
    runs: 0,
    requests: 0,
    virtualMs: 0,
    transitions: new Set(),
    faults: new Set(),
    failure: null,
  };
  let next = first;
  const isTerminal = process.stderr.isTTY;
  const work = async () => {
    // With the default of 16 MB a seventh of the time goes into copying what is young.
    const worker = new Worker(new URL('worker.ts', import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: 96, maxOldGenerationSizeMb: 16_000 },
    });
    try {
      while (next <= last && totals.failure === null) {
        const order: Order = { first: next, last: Math.min(last, next + CHUNK - 1), size };
        next = order.last + 1;
        const answer = await ask(worker, order);
        totals.seeds += answer.seeds;
        totals.runs += answer.runs;
        totals.requests += answer.requests;
        totals.virtualMs += answer.virtualMs;
        for (const name of answer.transitions) totals.transitions.add(name);
        for (const name of answer.faults) totals.faults.add(name);
        totals.failure ??= answer.failure;
        if (isTerminal) process.stderr.write(`\r${totals.seeds} of ${last - first + 1} seeds `);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, last - first + 1) }, work));
  if (isTerminal) process.stderr.write('\r\x1b[K');
  return totals;
}

function ask(worker: Worker, order: Order): Promise<Answer> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (answer: Answer) => {
      worker.off('error', reject);
      resolve(answer);
    });
    worker.postMessage(order);
  });
}

/** Makes it small, writes it down, and tells. */
async function explain(plan: Plan, violation: Violation, save: string): Promise<string> {
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
    if (violation) process.stdout.write(`${await explain(plan, violation, options.save)}\n`);
    else process.stdout.write(`${options.plan}: nothing is violated; ${runs} node-runs\n`);
    return violation ? 1 : 0;
  }
  const startedMs = performance.now();
  const totals = await simulateAll(options);
  const tookS = (performance.now() - startedMs) / 1_000;
  if (totals.failure) {
    const { seed, violation } = totals.failure;
    const plan = drawPlan(seed, options.size);
    process.stdout.write(`${await explain(plan, violation, options.save)}\n`);
  }
  const { seeds, runs, requests, virtualMs } = totals;
  process.stdout.write(
    `${seeds} seeds, ${totals.failure ? 1 : 0} violated; ${runs} node-runs in ${tookS.toFixed(0)} s (${(runs / tookS).toFixed(0)} a second), ${(virtualMs / 3_600_000).toFixed(0)} virtual hours, ${(requests / runs).toFixed(1)} requests a run\n${coverageLine(totals)}\n`,
  );
  if (options.isCovered) process.stdout.write(`${unreachedText(totals)}\n`);
  return totals.failure ? 1 : 0;
}

await runTool('simulate', HELP, main);
