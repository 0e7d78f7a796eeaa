import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { RunEvent } from '../../machines/events.ts';
import { advance, start } from '../../machines/fold.ts';
import { parseLog } from '../../src/trace/parse.ts';
import { replayLog } from '../../src/trace/replay.ts';
import { INPUT } from './input.ts';
import { runLive } from './script.ts';

const read = (name: string) => readFileSync(new URL(`../traces/${name}`, import.meta.url), 'utf8');
const rows = (name: string) =>
  read(name)
    .split('\n')
    .filter((row) => row !== '' && !row.includes('Schedule run'));

const CONFLICT: RunEvent = {
  type: 'lock.conflicted',
  message:
    'Operation cannot be fulfilled on daemonsets.apps "host-upgrades": the object has been modified; please apply your changes to the latest version and try again',
};
const lockRead = (value: string, resourceVersion: string): RunEvent => ({
  type: 'lock.read',
  lock: { value, resourceVersion },
});
const input = (node: string, deadlineInMs: number | null) => ({
  ...INPUT,
  node,
  deadlineInMs,
  nodes: 2,
});

test('conflict-then-watch, live in virtual time', () => {
  const { lines } = runLive(
    input('centos-7', null),
    {
      readLock: [[[3, lockRead('', '55650')]], [[3, lockRead('ubuntu-xenial', '55656')]]],
      acquireLock: [[[3, CONFLICT]], []],
      watchLock: [
        [[5_000, { type: 'lock.changed', lock: { value: '', resourceVersion: '55666' } }]],
      ],
    },
    Date.UTC(2018, 4, 31, 11, 40, 0),
    6_000,
  );
  assert.deepEqual(lines, rows('conflict-then-watch.txt'));
});

test('deadline-while-waiting, live: what the original wrote late stands at the deadline', () => {
  const { lines, snapshot } = runLive(
    input('ubuntu-xenial', 10_000),
    {
      readLock: [[[3, lockRead('', '55530')]], [[3, lockRead('centos-7', '55538')]]],
      acquireLock: [[[3, CONFLICT]]],
    },
    Date.UTC(2018, 4, 31, 11, 39, 0),
    20_000,
  );
  const expected = rows('deadline-while-waiting.txt').map((row) =>
    row.replace('11:39:11', '11:39:10'),
  );
  assert.deepEqual(lines, expected);
  assert.equal(snapshot.value, 'failed');
});

test('api-down, live: the backoff does not outlive the deadline', () => {
  const failed = parseLog(read('api-down.txt')).find((e) => e.line?.id === 'run.acquire.retrying');
  assert.ok(failed?.line?.id === 'run.acquire.retrying');
  const refused: RunEvent = { type: 'api.failed', message: failed.line.message };
  const { lines } = runLive(
    input('node', 10_000),
    { readLock: Array.from({ length: 9 }, () => [[1, refused]] as [number, RunEvent][]) },
    Date.UTC(2018, 4, 31, 11, 41, 0),
    20_000,
  );
  assert.deepEqual(
    lines,
    rows('api-down.txt').map((row) => row.replace('11:41:15', '11:41:10')),
  );
});

test('an update unanswered at the deadline is released, never taken for a lock', () => {
  const { calls, snapshot } = runLive(
    input('node-1', 10_000),
    {
      readLock: [[[1, lockRead('', '1')]], [[1, lockRead('node-1', '2')]]],
      acquireLock: [
        [[20_000, { type: 'lock.updated', lock: { value: 'node-1', resourceVersion: '2' } }]],
      ],
      releaseLock: [[[1, { type: 'lock.updated', lock: { value: '', resourceVersion: '3' } }]]],
    },
    0,
    30_000,
  );
  assert.deepEqual(calls, ['readLock', 'acquireLock', 'readLock', 'releaseLock']);
  assert.equal(snapshot.value, 'failed');
});

test('a waiting node stands down when its own watch shows the lock taken', () => {
  const changed = (value: string): RunEvent => ({
    type: 'lock.changed',
    lock: { value, resourceVersion: '5' },
  });
  const { calls, snapshot } = runLive(
    { ...input('node-1', null), nodes: 100 },
    {
      readLock: [[[1, lockRead('node-2', '1')]]],
      watchLock: [
        [
          [100, changed('')],
          [101, changed('node-3')],
        ],
      ],
    },
    0,
    10_000,
  );
  assert.deepEqual(calls, ['readLock', 'watchLock']);
  assert.deepEqual(snapshot.value, { acquiring: { watch: 'held' } });
});

test('a stop while waiting ends the run at once and leaves the lock alone', () => {
  const { calls, snapshot } = runLive(
    input('node-1', null),
    {
      readLock: [[[1, lockRead('node-2', '1')]]],
      watchLock: [[[100, { type: 'stop.requested' }]]],
    },
    0,
    1_000,
  );
  assert.deepEqual(calls, ['readLock', 'watchLock']);
  assert.equal(snapshot.value, 'stopped');
});

test('a lost answer is settled by a read of another version; a conflict is an answer', () => {
  const settled: [string, RunEvent, string[]][] = [
    ['lost', { type: 'api.failed', message: 'reset' }, ['readLock', 'acquireLock', 'readLock']],
    ['refused', CONFLICT, ['readLock', 'acquireLock', 'readLock']],
  ];
  for (const [name, answer, expected] of settled) {
    const { calls, snapshot } = runLive(
      input('node-1', 10_000),
      { readLock: [[[1, lockRead('', '1')]]], acquireLock: [[[1, answer]]] },
      0,
      11_000,
    );
    // The second read never comes: only the lost answer leaves something to release.
    const releasing = name === 'lost' ? ['readLock'] : [];
    assert.deepEqual(calls, [...expected, ...releasing], name);
    assert.deepEqual(snapshot.value, name === 'lost' ? { releasing: 'get' } : 'failed');
  }
});

test('a read of the watch that is refused settles no acquire that is out', () => {
  const events: RunEvent[] = [
    lockRead('node-2', '1'),
    { type: 'lock.changed', lock: { value: '', resourceVersion: '2' } },
    { type: 'standby.elapsed' },
    { type: 'api.failed', message: 'Get: forbidden', code: 403 },
    { type: 'deadline.reached' },
  ];
  let { snapshot } = start({ ...input('node-1', 10_000), nodes: 1 });
  for (const event of events) {
    const next = advance(snapshot, event);
    assert.ok(next, event.type);
    snapshot = next.snapshot;
  }
  // The acquire may still land: it is looked for, and undone.
  assert.deepEqual(snapshot.value, { releasing: 'get' });
});

test('a node that lost an update stands down by its own watch, without another request', () => {
  const changed = (value: string, resourceVersion: string): RunEvent => ({
    type: 'lock.changed',
    lock: { value, resourceVersion },
  });
  // The change comes at 150 ms: before the answer, or a little after it.
  for (const lostAtMs of [160, 145]) {
    const { calls, snapshot } = runLive(
      { ...input('node-1', null), nodes: 1 },
      {
        readLock: [[[1, lockRead('node-2', '1')]]],
        watchLock: [
          [
            [100, changed('', '2')],
            [150, changed('node-3', '3')],
          ],
        ],
        acquireLock: [[[lostAtMs - 100, CONFLICT]]],
      },
      0,
      10_000,
    );
    assert.deepEqual(calls, ['readLock', 'watchLock', 'acquireLock'], `${lostAtMs}`);
    assert.deepEqual(snapshot.value, { acquiring: { watch: 'held' } });
  }
});

test('a node that lost an update and sees nothing reads the lock again', () => {
  const { calls } = runLive(
    input('node-1', null),
    {
      readLock: [[[1, lockRead('node-2', '1')]]],
      watchLock: [[[100, { type: 'lock.changed', lock: { value: '', resourceVersion: '2' } }]]],
      acquireLock: [[[10, CONFLICT]]],
    },
    0,
    10_000,
  );
  assert.deepEqual(calls, ['readLock', 'watchLock', 'acquireLock', 'readLock']);
});

/** The texts of a run's lines replay as the same run. */
function assertLegal(lines: string[], end: string) {
  const { divergence, records } = replayLog(lines.map((line) => `${line}\n`).join(''));
  assert.deepEqual([divergence, records.at(-1)?.to], [null, end]);
}

const updated = (value: string, resourceVersion: string): RunEvent => ({
  type: 'lock.updated',
  lock: { value, resourceVersion },
});
const conflicted: RunEvent = { type: 'lock.conflicted', message: 'modified' };
const lostAnswer: RunEvent = { type: 'api.failed', message: 'no answer in time' };

test('a read that overtakes an unanswered acquire settles nothing: it is fenced off, then cleared', () => {
  const { calls, snapshot, lines } = runLive(
    input('node-1', 10_000),
    {
      readLock: [[[1, lockRead('', '1')]], [[1, lockRead('', '1')]]],
      acquireLock: [[[20_000, conflicted]], [[1, updated('node-1', '2')]]],
      releaseLock: [[[1, updated('', '3')]]],
    },
    0,
    30_000,
  );
  assert.deepEqual(calls, ['readLock', 'acquireLock', 'readLock', 'acquireLock', 'releaseLock']);
  assert.equal(snapshot.value, 'failed');
  assertLegal(lines, 'failed');
});

test('the unanswered acquire lands ahead of its fence: it is seen, and cleared', () => {
  const { calls, snapshot, lines } = runLive(
    input('node-1', 10_000),
    {
      readLock: [
        [[1, lockRead('', '1')]],
        [[1, lockRead('', '1')]],
        [[1, lockRead('node-1', '2')]],
      ],
      acquireLock: [[[20_000, conflicted]], [[1, conflicted]]],
      releaseLock: [[[1, updated('', '3')]]],
    },
    0,
    30_000,
  );
  assert.deepEqual(calls.slice(-3), ['acquireLock', 'readLock', 'releaseLock']);
  assert.equal(snapshot.value, 'failed');
  assertLegal(lines, 'failed');
});

for (const [who, value] of [
  ['free', ''],
  ['held by the next node', 'node-2'],
] as const) {
  test(`a release without an answer was carried out where the lock is ${who}`, () => {
    const { snapshot, lines } = runLive(
      input('node-1', 10_000),
      {
        readLock: [
          [[1, lockRead('', '1')]],
          [[1, lockRead('node-1', '2')]],
          [[1, lockRead(value, '3')]],
        ],
        acquireLock: [[[1, updated('node-1', '2')]]],
        upgradeHost: [
          [[1, { type: 'upgrade.finished', status: { rebootRequired: false, detail: '' } }]],
        ],
        reportNode: [[[1, { type: 'node.reported' }]]],
        releaseLock: [[[1, lostAnswer]]],
      },
      0,
      30_000,
    );
    assert.equal(snapshot.value, 'done', lines.join('\n'));
    assertLegal(lines, 'done');
  });
}

test('a lock found to be the own one and not confirmed by the deadline is released', () => {
  const { calls, snapshot, lines } = runLive(
    input('node-1', 3_000),
    {
      readLock: [
        [[1, lockRead('', '1')]],
        [[1, lockRead('node-1', '2')]],
        [[1, lostAnswer]],
        [[1, lostAnswer]],
        [[1, lockRead('node-1', '2')]],
      ],
      acquireLock: [[[1, lostAnswer]], [[1, conflicted]]],
      releaseLock: [[[1, updated('', '3')]]],
    },
    0,
    30_000,
  );
  assert.deepEqual(calls.slice(-2), ['readLock', 'releaseLock'], lines.join('\n'));
  assert.equal(snapshot.value, 'failed');
  assertLegal(lines, 'failed');
});

test('an acquire that was refused leaves nothing to release: the run ends at its deadline', () => {
  const refused: RunEvent = { type: 'api.failed', message: 'x is forbidden', code: 403 };
  const { calls, snapshot, lines } = runLive(
    input('node-1', 2_500),
    {
      readLock: [[[1, lockRead('', '1')]], [[1, lockRead('', '1')]], [[1, lostAnswer]]],
      acquireLock: [[[1, refused]], [[1, refused]]],
    },
    0,
    30_000,
  );
  assert.deepEqual(calls, ['readLock', 'acquireLock', 'readLock', 'acquireLock', 'readLock']);
  assert.equal(snapshot.value, 'failed');
  const { divergence, records } = replayLog(
    [...lines, '1970/01/01 00:00:03 Schedule run failed after 2.5s, next upgrade at: never']
      .map((line) => `${line}\n`)
      .join(''),
  );
  assert.deepEqual([divergence, records.at(-2)?.to], [null, 'failed']);
});
