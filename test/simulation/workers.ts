import { Worker } from 'node:worker_threads';
import { type Answer, newAnswer, type Order } from './worker.ts';

/** Adds to `totals` what comes of the orders, several at once; the first failure ends it. */
export async function carryOutAll(
  orders: readonly Order[],
  jobs: number,
  totals: Answer,
  onAnswer: () => void,
): Promise<void> {
  const left = orders.values();
  const work = async () => {
    // With the default of 16 MB a seventh of the time goes into copying what is young.
    const worker = new Worker(new URL('worker.ts', import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: 96, maxOldGenerationSizeMb: 16_000 },
    });
    try {
      for (const order of left) {
        if (totals.failure !== null) return;
        add(totals, await ask(worker, order));
        onAnswer();
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, orders.length) }, work));
}

export const noTotals = newAnswer;

function add(totals: Answer, answer: Answer): void {
  totals.plans += answer.plans;
  totals.runs += answer.runs;
  totals.requests += answer.requests;
  totals.virtualMs += answer.virtualMs;
  for (const name of answer.transitions) totals.transitions.add(name);
  for (const name of answer.faults) totals.faults.add(name);
  totals.bases.push(...answer.bases);
  totals.failure ??= answer.failure;
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
