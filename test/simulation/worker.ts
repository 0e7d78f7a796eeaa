import { parentPort } from 'node:worker_threads';
import { simulate } from './fleet.ts';
import type { Violation } from './judge.ts';
import { drawPlan, type Size } from './plan.ts';

export interface Order {
  first: number;
  last: number;
  size: Size;
}

export interface Answer {
  seeds: number;
  runs: number;
  requests: number;
  virtualMs: number;
  transitions: Set<string>;
  faults: Set<string>;
  failure: { seed: number; violation: Violation } | null;
}

/** Seeds one after the other, up to the first that fails. */
async function carryOut({ first, last, size }: Order): Promise<Answer> {
  const answer: Answer = {
    seeds: 0,
    runs: 0,
    requests: 0,
    virtualMs: 0,
    transitions: new Set(),
    faults: new Set(),
    failure: null,
  };
  for (let seed = first; seed <= last && answer.failure === null; seed += 1) {
    const { violations, runs, requests, virtualMs, coverage } = await simulate(
      drawPlan(seed, size),
    );
    answer.seeds += 1;
    answer.runs += runs;
    answer.requests += requests;
    answer.virtualMs += virtualMs;
    for (const name of coverage.transitions) answer.transitions.add(name);
    for (const name of coverage.faults) answer.faults.add(name);
    const [violation] = violations;
    if (violation) answer.failure = { seed, violation };
  }
  return answer;
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
