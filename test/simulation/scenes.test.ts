import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from './fleet.ts';
import { SCENES, scenePlan } from './scenes.ts';
import { TRANSITIONS } from './transitions.ts';

for (const [transition, scene] of Object.entries(SCENES)) {
  test(`taken, and nothing is violated: ${transition}`, async () => {
    assert.ok(TRANSITIONS.includes(transition));
    const { violations, coverage } = await simulate(scenePlan(scene));
    assert.deepEqual(violations, []);
    assert.ok(coverage.transitions.has(transition));
  });
}
