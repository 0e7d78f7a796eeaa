import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent } from '../../machines/events.ts';
import { advance, type RunSnapshot, start, stateName } from '../../machines/fold.ts';
import { runMachine } from '../../machines/run.ts';
import {
  followRun,
  type Glance,
  type HealthContext,
  healthContext,
  healthOf,
  healthWords,
} from '../../src/service/health-words.ts';
import { INPUT } from '../machines/input.ts';

const T = Date.UTC(2026, 11, 1, 3);
const at = (seconds: number) => T + seconds * 1_000;
const CONNECTED = healthContext(T, true);
const LOCK = { resourceVersion: '7' };
const lockOf = (value: string) => ({ ...LOCK, value });

const NOTHING: Glance['context'] = { lock: lockOf(''), error: null, blocked: [] };

/** The words after each event, one second apart. */
function wordsAlong(events: RunEvent[]): string[] {
  let snapshot: RunSnapshot = start({ ...INPUT, nodes: 3 }).snapshot;
  let context = followRun(CONNECTED, { state: stateName(snapshot.value), atMs: T });
  return events.map((event, index) => {
    const next = advance(snapshot, event);
    assert.ok(next, `${event.type} in ${stateName(snapshot.value)}`);
    snapshot = next.snapshot;
    const record = { state: stateName(snapshot.value), atMs: at(index + 1), event };
    context = followRun(context, record);
    return healthWords(snapshot, context);
  });
}

/** Words in a state, whether the machine has it or not. */
function wordsIn(value: unknown, more: Partial<HealthContext> = {}): string {
  return healthWords({ value, context: NOTHING }, { ...CONNECTED, ...more });
}

test('before, between and after runs', () => {
  const connecting = healthContext(T, false);
  assert.equal(
    healthWords(null, connecting),
    'connecting to the API server since 2026-12-01T03:00:00Z',
  );
  assert.equal(healthOf(null, connecting).isReady, false);
  assert.equal(healthOf(null, CONNECTED).isReady, true);
  assert.equal(healthWords(null, CONNECTED), 'starting');
  const planned = { nextRunMs: at(86_400) };
  const next = 'waiting for the next run at 2026-12-02T03:00:00Z';
  assert.equal(healthWords(null, { ...CONNECTED, ...planned }), next);
  assert.equal(wordsIn('done', planned), next);
  assert.equal(wordsIn('done'), 'done: no other run is planned');
  const failed = { value: 'failed', context: { ...NOTHING, error: 'no disk\nat all' } };
  assert.equal(
    healthWords(failed, { ...CONNECTED, ...planned }),
    `${next}; the last one failed: no disk`,
  );
});

test('a run that waits for other nodes, upgrades and hands the lock on', () => {
  const status = { rebootRequired: false, detail: '' };
  assert.deepEqual(
    wordsAlong([
      { type: 'spread.elapsed' },
      { type: 'api.failed', message: 'refused' },
      { type: 'backoff.elapsed' },
      { type: 'lock.read', lock: lockOf('node-3') },
      { type: 'lock.changed', lock: lockOf('node-3') },
      { type: 'lock.changed', lock: lockOf('node-4') },
      { type: 'lock.changed', lock: lockOf('') },
      { type: 'standby.elapsed' },
      { type: 'lock.updated', lock: lockOf(INPUT.node) },
      { type: 'upgrade.output', text: 'Get:1' },
      { type: 'upgrade.finished', status },
      { type: 'node.reported' },
    ]),
    [
      'asking for the lock since 2026-12-01T03:00:00Z',
      'waiting to ask the API server again since 2026-12-01T03:00:02Z',
      'asking for the lock since 2026-12-01T03:00:03Z',
      'waiting for the lock held by node-3 since 2026-12-01T03:00:04Z',
      'waiting for the lock held by node-3 since 2026-12-01T03:00:04Z',
      'waiting for the lock held by node-4 since 2026-12-01T03:00:06Z',
      'about to take the lock, which came free since 2026-12-01T03:00:07Z',
      'taking the lock since 2026-12-01T03:00:08Z',
      'upgrading since 2026-12-01T03:00:09Z',
      'upgrading since 2026-12-01T03:00:09Z',
      'reporting to the Node since 2026-12-01T03:00:11Z',
      'releasing the lock since 2026-12-01T03:00:12Z',
    ],
  );
});

test('a drain names the budget and the pod that it waits for', () => {
  const value = { locked: { draining: 'evicting' } };
  const context = followRun(CONNECTED, { state: stateName(value), atMs: at(1) });
  const web = { pod: 'default/web-1', budget: 'default/web', message: '' };
  const database = { pod: 'default/db-0', budget: null, message: '' };
  const words = (...blocked: Glance['context']['blocked']) =>
    healthWords({ value, context: { ...NOTHING, blocked } }, context);
  const since = 'since 2026-12-01T03:00:01Z';
  assert.equal(words(), `draining ${since}`);
  assert.equal(
    words(web),
    `draining: blocked by PodDisruptionBudget default/web (pod default/web-1), ${since}`,
  );
  assert.equal(
    words(web, database),
    `draining: blocked by PodDisruptionBudget default/web (pod default/web-1 and 1 more), ${since}`,
  );
  assert.equal(words(database), `draining: blocked (pod default/db-0), ${since}`);
});

/** The names of all states below a node of the machine that have none below them. */
function statesOf(node: { states?: object }, path = ''): string[] {
  const inner = Object.entries(node.states ?? {});
  if (inner.length === 0) return [path];
  return inner.flatMap(([name, below]) => statesOf(below, path === '' ? name : `${path}.${name}`));
}

test('every state has words, also one that nobody has thought of', () => {
  const since = 'since 2026-12-01T03:00:00Z';
  const states = statesOf(runMachine);
  assert.ok(states.includes('locked.rebooting.waiting'), states.join(' '));
  for (const state of states) assert.doesNotMatch(wordsIn(state), /in state|undefined/, state);
  assert.equal(wordsIn({ locked: { rebooting: 'waiting' } }), `rebooting ${since}`);
  assert.equal(wordsIn({ locked: 'celebrating' }), `holding the lock ${since}`);
  assert.equal(wordsIn({ pausing: 'night' }), `in state pausing.night ${since}`);
  assert.equal(wordsIn('acquiringX'), `in state acquiringX ${since}`);
});
