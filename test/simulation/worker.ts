import { parentPort } from 'node:worker_threads';
import { type Aim, type Base, directedPlan, RELEASING } from './directed.ts';
import { type Result, simulate } from './fleet.ts';
import { NO_RUN, type Violation } from './judge.ts';
import { drawPlan, type Plan, type Size } from './plan.ts';

export type Order =
  | { kind: 'seeds'; first: number; last: number; size: Size }
  | { kind: 'aims'; aims: Aim[] }
  | { kind: 'plans'; plans: Plan[] };

export interface Answer {
  /** Plans that were run. */
  plans: number;
  runs: number;
  requests: number;
  virtualMs: number;
  transitions: Set<string>;
  faults: Set<string>;
  /** Where a state can be found. */
  bases: [state: string, base: Base][];
  failure: { plan: Plan; violation: Violation } | null;
}

export function newAnswer(): Answer {
  return {
    plans: 0,
    runs: 0,
    requests: 0,
    virtualMs: 0,
    transitions: new Set(),
    faults: new Set(),
    bases: [],
    failure: null,
  };
}

/** Up to the first plan that fails. */
async function carryOut(order: Order): Promise<Answer> {
  const answer = newAnswer();
  const run = async (plan: Plan): Promise<Result> => {
    const result = await simulate(plan).catch((error: unknown): never => {
      throw new Error(`the simulation fails for ${JSON.stringify(plan)}`, { cause: error });
    });
    const { violations, coverage } = result;
    answer.plans += 1;
    answer.runs += result.runs;
    answer.requests += result.requests;
    answer.virtualMs += result.virtualMs;
    for (const name of coverage.transitions) answer.transitions.add(name);
    for (const name of coverage.faults) answer.faults.add(name);
    const [violation] = violations;
    if (violation) answer.failure = { plan, violation };
    return result;
  };
  if (order.kind === 'seeds') await seeds(order, answer, run);
  else if (order.kind === 'aims') await aims(order.aims, answer, run);
  else for (const plan of order.plans) await run(plan);
  return answer;
}

type Run = (plan: Plan) => Promise<Result>;

/** One after the other. */
async function seeds(
  { first, last, size }: Extract<Order, { kind: 'seeds' }>,
  answer: Answer,
  run: Run,
): Promise<void> {
  for (let seed = first; seed <= last && answer.failure === null; seed += 1) {
    const plan = drawPlan(seed, size);
    const { coverage, requests } = await run(plan);
    if (plan.isCrowd) continue;
    for (const [state, visit] of coverage.visits) {
      if (visit.atMs >= plan.faultyMs) continue;
      const base = { seed, size, requests, ...visit };
      answer.bases.push([state, base]);
      if (state === RELEASING) answer.bases.push([NO_RUN, base]);
    }
  }
}

/** Each until its fault has hit its state. */
async function aims(all: Aim[], answer: Answer, run: Run): Promise<void> {
  for (const aim of all) {
    for (const base of aim.bases) {
      if (answer.faults.has(`${aim.fault}, ${aim.state}`)) break;
      await run(directedPlan(aim, base));
      if (answer.failure !== null) return;
    }
  }
}

parentPort?.on('message', (order: Order) => {
  carryOut(order).then(
    (answer) => parentPort?.postMessage(answer),
    // Ends the worker, and with its stack the whole.
    (error: unknown) =>
      queueMicrotask(() => {
        throw error;
      }),
  );
});
