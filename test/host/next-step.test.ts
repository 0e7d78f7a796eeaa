import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { UnitState } from '../../src/host/systemd.ts';
import { nextStep } from '../../src/host/upgrade.ts';

describe('what a unit of that name means for a run', () => {
  const unit = (more: Partial<UnitState>): UnitState => ({
    activeState: 'activating',
    subState: 'start',
    hasJob: false,
    environment: [],
    invocationId: '',
    startedUs: 0n,
    remains: true,
    result: 'success',
    exitStatus: 0,
    ...more,
  });
  const own = ['HOST_PATH=/run/host-upgrades', 'HOST_UPGRADES_RUN=r1'];
  const other = ['HOST_PATH=/run/host-upgrades', 'HOST_UPGRADES_RUN=r0'];

  test('none: start', () => {
    assert.equal(nextStep(null, 'r1'), 'start');
  });

  test('its own is adopted, at work or ended, and never started twice', () => {
    for (const activeState of ['activating', 'deactivating', 'active', 'failed', 'inactive']) {
      const state = unit({ activeState, environment: own });
      assert.equal(nextStep(state, 'r1'), 'adopt');
    }
  });

  test('one that has ended for another run is done with', () => {
    for (const activeState of ['active', 'failed', 'inactive']) {
      const state = unit({ activeState, subState: 'exited', environment: other });
      assert.equal(nextStep(state, 'r1'), 'start');
    }
  });

  test('a service of somebody else that is up is left alone, and a dead one is cleared', () => {
    for (const subState of ['running', 'exited']) {
      const state = unit({ activeState: 'active', subState });
      assert.equal(nextStep(state, 'r1'), 'refuse');
    }
    assert.equal(nextStep(unit({ activeState: 'failed', subState: 'failed' }), 'r1'), 'start');
  });

  test('one at work for another run is adopted: never two at once, never one given up', () => {
    for (const activeState of ['activating', 'deactivating']) {
      const state = unit({ activeState, environment: other });
      assert.equal(nextStep(state, 'r1'), 'adopt');
    }
  });

  test('one that is about to be started is at work', () => {
    const state = unit({ activeState: 'inactive', hasJob: true, environment: other });
    assert.equal(nextStep(state, 'r1'), 'adopt');
  });

  test('one that is no upgrade is left alone', () => {
    assert.equal(nextStep(unit({ environment: ['A=b'] }), 'r1'), 'refuse');
  });

  test('a run whose name begins like another’s is another', () => {
    const state = unit({ activeState: 'active', subState: 'exited', environment: other });
    assert.equal(nextStep(state, 'r'), 'start');
  });
});
