import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_FAULTS, FAULTS } from '../../src/rehearsal/faults.ts';
import { memoryJournals } from '../../src/rehearsal/journal.ts';
import { rollout } from '../../src/rehearsal/rollout.ts';
import { recorded, textsOf } from './recorded.ts';

test('what is shown without any flag: contention, a conflict, watches and hand-offs', async () => {
  const { outcome, lines } = await recorded({ faults: DEFAULT_FAULTS });
  const has = (text: string) => lines.filter((line) => line.includes(text)).length;
  assert.deepEqual(outcome.violations, []);
  assert.ok(has(': locked') >= 2);
  assert.ok(has(': watch ') >= 2);
  assert.ok(has('retry modify conflict') >= 1);
  assert.equal(has('Done'), 3);
  assert.deepEqual(
    outcome.nodes.map(({ order, state }) => [order, state]),
    [
      [1, 'done'],
      [2, 'done'],
      [3, 'done'],
    ],
  );
  assert.equal(outcome.handOffsMs.length, 2);
  // In virtual time, so no machine is too slow for it.
  assert.ok(outcome.durationMs < 15_000, `${outcome.durationMs}`);
});

test('each node makes the requests of its own run, and they are counted', async () => {
  const { outcome } = await recorded({ nodes: 1 });
  // get, update, node status, get, update.
  assert.equal(outcome.nodes[0]?.requests, 5);
});

/** The options without which some of the faults have nothing to go wrong. */
function powers(faults: string[]): { reboot: boolean; drain: boolean } {
  const needs = faults.map((name) => FAULTS[name]?.needs);
  return { reboot: needs.some((need) => need !== undefined), drain: needs.includes('drain') };
}

for (const name of Object.keys(FAULTS)) {
  test(`${name}: every run ends as it has to, and the lock is free`, async () => {
    for (const seed of [1, 2, 3]) {
      const { outcome } = await recorded({ faults: [name], ...powers([name]), seed, nodes: 4 });
      assert.deepEqual(outcome.violations, [], `seed ${seed}`);
    }
  });
}

test('faults in company, each with half of the others', async () => {
  const names = Object.keys(FAULTS).filter((name) => name !== 'none');
  for (let seed = 0; seed < 16; seed += 1) {
    const faults = names.filter((_, index) => (index * 7 + seed * 5) % 11 < 6);
    const { outcome } = await recorded({ faults, ...powers(faults), seed, nodes: 5 });
    assert.deepEqual(outcome.violations, [], `seed ${seed}, ${faults.join(',')}`);
  }
});

test('api-down: refused connections are seen, in the words that name no port', async () => {
  const { lines } = await recorded({ faults: ['api-down'] });
  const refused = lines.filter((line) => line.includes('connection refused'));
  assert.ok(refused.length > 0);
  for (const line of refused)
    assert.match(line, /dial tcp rehearsal:6443: connect: connection refused/);
});

test('watch-stall: silence is noticed at the stall limit, not at the next change', async () => {
  const { lines } = await recorded({ faults: ['watch-stall'], nodes: 4 });
  const at = (text: string) => Number(lines.find((line) => line.includes(text))?.split(' ')[0]);
  const afterMs = at('the connection went silent') - at('the watches go silent');
  assert.ok(afterMs > 0 && afterMs <= 4_000, `${afterMs} ms`);
});

test('watch-drop: who waits watches again', async () => {
  const { outcome, lines } = await recorded({ faults: ['watch-drop'], nodes: 6 });
  assert.deepEqual(outcome.violations, []);
  assert.ok(lines.some((line) => line.includes('watch ended: the server closed the watch')));
});

test('lost-answer: a lock that was taken without knowing is found to be the own one', async () => {
  const recording = await recorded({ faults: ['lost-answer'] });
  const winner = recording.outcome.nodes[0]?.node ?? '';
  const texts = textsOf(recording, winner);
  assert.ok(texts.some((text) => text.startsWith('Acquiring kube lock failed, retrying: ')));
  assert.ok(texts.some((text) => text.endsWith(`lock=${winner}: acquired`)));
});

test('lost-answer: a release that nobody confirmed is no failed run', async () => {
  const { outcome, lines } = await recorded({ faults: ['lost-answer'] });
  assert.ok(lines.some((line) => line.includes('the lock is free, and the answer that says so')));
  assert.deepEqual(
    outcome.nodes.map(({ state }) => state),
    ['done', 'done', 'done'],
  );
});

test('the window ends while a slow acquire is on its way: what it may have taken is given back', async () => {
  const faults = [
    'conflict',
    'slow-api',
    'watch-drop',
    'watch-stall',
    'upgrade-fails',
    'short-window',
  ];
  const { outcome } = await recorded({ faults, seed: 8, nodes: 5 });
  assert.deepEqual(outcome.violations, []);
});

test('upgrade-fails: one run fails, its lock is released, and the others are done', async () => {
  const { outcome } = await recorded({ faults: ['upgrade-fails'], nodes: 5 });
  const failed = outcome.nodes.filter(({ state }) => state === 'failed');
  assert.equal(failed.length, 1);
  assert.match(failed[0]?.error ?? '', /dpkg/);
  assert.equal(outcome.handOffsMs.length, 4);
});

test('restart: the run goes on from its journal and adopts the upgrade that still runs', async () => {
  const recording = await recorded({ faults: ['restart'] });
  const node = recording.outcome.nodes
    .map(({ node: name }) => name)
    .find((name) => textsOf(recording, name).includes('Resuming the interrupted run...'));
  assert.ok(node);
  const events = recording.records.flatMap(({ node: of, record }) =>
    of === node && 'event' in record ? [record.event.type] : [],
  );
  assert.ok(events.includes('stop.requested') && events.includes('run.resumed'));
  assert.equal(recording.outcome.nodes.find((each) => each.node === node)?.state, 'done');
});

test('short-window: who waits past the window ends at it, and never holds the lock', async () => {
  const { outcome } = await recorded({ faults: ['short-window'], nodes: 8 });
  const late = outcome.nodes.filter(({ order }) => order === null);
  assert.ok(late.length > 0);
  for (const { state, waitedMs } of late) assert.deepEqual([state, waitedMs], ['failed', 3_000]);
});

test('an interrupted rollout ends at once and shows nothing any more', async () => {
  const controller = new AbortController();
  let after = 0;
  const outcome = await rollout(
    {
      nodes: 3,
      seed: 1,
      speed: 1,
      faults: ['none'],
      reboot: false,
      drain: false,
      tickMs: 0,
      openJournal: memoryJournals(),
      version: '1',
      onText: (_, text) => {
        if (controller.signal.aborted) after += 1;
        // By now the others watch: their connections close too.
        else if (text.startsWith('host: ')) controller.abort();
      },
      onRecord: () => {},
      onNote: () => {},
    },
    controller.signal,
  );
  assert.equal(outcome, null);
  assert.equal(after, 0);
});
