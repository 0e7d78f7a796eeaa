import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from '../simulation/fleet.ts';
import { drawPlan, type Plan } from '../simulation/plan.ts';
import { SCENES, scenePlan } from '../simulation/scenes.ts';
import { agentAutomaton, conform, conformLock } from './conform.ts';

const SEEDS = 150;
const automaton = agentAutomaton();
const plans = Array.from({ length: SEEDS }, (_, index) => drawPlan(index + 1));

/** An administrator who writes into the lock takes it from node to node as no program does. */
const isByHand = ({ steps }: Plan) => steps.some(({ kind }) => kind.startsWith('lock-'));

async function hold(plan: Plan): Promise<number> {
  const { journals } = await simulate(plan);
  for (const journal of journals) assert.equal(conform(journal, automaton), null);
  if (!isByHand(plan)) assert.equal(conformLock(journals), '');
  return journals.flat().length;
}

const KINDS: Record<string, (plan: Plan) => boolean> = {
  'beside the program of 2018': ({ nodes }) => nodes.some(({ program }) => program !== 'ours'),
  'that drain and reboot': ({ drain, reboot }) => drain && reboot,
  'that only upgrade': ({ drain, reboot }) => !drain && !reboot,
};

for (const [kind, is] of Object.entries(KINDS)) {
  test(`simulated fleets ${kind}: each record on their disks is a step of the model`, async () => {
    const some = plans.filter((plan) => is(plan));
    assert.ok(some.length >= 10, `only ${some.length} plans`);
    let records = 0;
    for (const plan of some) records += await hold(plan);
    assert.ok(records > some.length * 50);
  });
}

test('so is each scene', async () => {
  for (const scene of Object.values(SCENES)) await hold(scenePlan(scene));
});
