import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replayJournal } from '../../src/trace/replay-journal.ts';
import { recorded } from './recorded.ts';

const REBOOTS = { reboot: true, drain: true };
const statesOf = ({ outcome }: Awaited<ReturnType<typeof recorded>>) =>
  outcome.nodes.map(({ state }) => state);

test('each node in turn is upgraded, drained, rebooted and uncordoned', async () => {
  const run = await recorded(REBOOTS);
  assert.deepEqual(run.outcome.violations, []);
  assert.deepEqual(statesOf(run), ['done', 'done', 'done']);
  assert.ok(run.outcome.nodes.every(({ isRebooted }) => isRebooted));
  for (const text of ['Host is shutting down...', 'Uncordoned drained']) {
    assert.equal(run.lines.filter((line) => line.includes(text)).length, 3, text);
  }
  // What was evicted runs elsewhere, and may be evicted there again.
  assert.ok(run.lines.filter((line) => line.includes('drain: evicted pod')).length >= 3);
});

test('each history of it replays', async () => {
  const { records } = await recorded({ ...REBOOTS, faults: ['kill', 'conflict'], seed: 7 });
  const rows = records.map((record) => JSON.stringify(record)).join('\n');
  const { divergence, runs } = replayJournal(`${rows}\n`);
  assert.deepEqual([divergence, runs], [null, 3]);
});

test('the same seed, the same rollout', async () => {
  const [one, other] = [await recorded(REBOOTS), await recorded(REBOOTS)];
  assert.deepEqual(one.lines, other.lines);
});

test('a reboot that fails leaves its node schedulable and the lock free; the others go on', async () => {
  for (const fault of ['reboot-fails', 'reboot-stuck']) {
    const run = await recorded({ ...REBOOTS, faults: [fault] });
    assert.deepEqual(run.outcome.violations, [], fault);
    assert.deepEqual(statesOf(run).toSorted(), ['done', 'done', 'failed'], fault);
  }
});

test('a host that never comes back keeps the lock; the others wait, and say for whom', async () => {
  const run = await recorded({ ...REBOOTS, faults: ['no-return'], seed: 3 });
  assert.deepEqual(run.outcome.violations, []);
  const gone = run.outcome.nodes.find(({ state }) => state === 'interrupted')?.node ?? '';
  const waiting = run.outcome.nodes.filter(({ state }) => state === 'failed');
  assert.ok(waiting.length > 0);
  for (const { node } of waiting) {
    const tests = run.lines.filter((line) => line.includes(` ${node} `) && line.includes('test '));
    assert.match(tests.at(-1) ?? '', new RegExp(`lock=${gone}: locked$`));
  }
});

test('trap 19: a budget that allows nothing: uncordoned, released, still to be rebooted', async () => {
  const run = await recorded({ ...REBOOTS, faults: ['pdb'] });
  assert.deepEqual(run.outcome.violations, []);
  const failed = run.outcome.nodes.find(({ state }) => state === 'failed');
  assert.match(failed?.error ?? '', /pod default\/db-\d+ by PodDisruptionBudget default\/db/);
  assert.equal(failed?.isRebooted, false);
});

test('the API server goes away during a drain, and the drain goes on', async () => {
  const run = await recorded({ ...REBOOTS, faults: ['api-down-drain'] });
  assert.deepEqual(run.outcome.violations, []);
  assert.deepEqual(statesOf(run), ['done', 'done', 'done']);
});

test('seeds and faults of all kinds: never two nodes down, no lock and no cordon left', async () => {
  const mixes = [
    ['kill'],
    ['kill', 'lost-answer'],
    ['api-errors'],
    ['kill', 'api-down'],
    ['restart'],
  ];
  for (let seed = 1; seed <= 10; seed += 1) {
    const faults = mixes[seed % mixes.length] as string[];
    const { outcome } = await recorded({ ...REBOOTS, faults, seed, nodes: 4 });
    assert.deepEqual(outcome.violations, [], `seed ${seed}, ${faults.join()}`);
  }
});

test('two faults that take the API server away at once', async () => {
  const faults = ['kill', 'api-down-drain', 'api-down'];
  const { outcome } = await recorded({ ...REBOOTS, faults, seed: 102, nodes: 4 });
  assert.deepEqual(outcome.violations, []);
});
