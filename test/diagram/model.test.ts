import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineModel } from '../../src/diagram/model.ts';

test('every state says in words what it is', () => {
  const { states } = machineModel();
  assert.ok(states.length > 40);
  for (const { id, description } of states) assert.ok(description.length > 10, id);
});
