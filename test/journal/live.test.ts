import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimulatedClock } from 'xstate';
import { openJournal } from '../../src/journal/file.ts';
import { resumeRun, startRun } from '../../src/journal/live.ts';
import type { JournalRecord } from '../../src/journal/record.ts';
import { INPUT } from '../machines/input.ts';
import { inFolder, records, start } from './process.ts';

const FREE = { value: '', resourceVersion: '1' };
const MINE = { value: 'node-1', resourceVersion: '2' };

test(
  'each event is in the journal before the effect that follows from it starts',
  inFolder((path) => {
    const process = start(path);
    const states: string[] = [];
    process.onCall.run = () => states.push(records(path).at(-1)?.state ?? '');
    startRun('r1', INPUT, process.ports);
    process.answer({ type: 'lock.read', lock: FREE });
    process.answer({ type: 'lock.updated', lock: MINE });
    assert.deepEqual(process.names(), ['readLock', 'acquireLock', 'upgradeHost']);
    assert.deepEqual(states, ['acquiring.get', 'acquiring.update', 'locked.upgrading']);
  }),
);

test(
  'timers are records too, and the fold of the journal is the live state at every record',
  inFolder(async (path) => {
    const process = start(path);
    const run = startRun('r1', INPUT, process.ports);
    process.answer({ type: 'api.failed', message: 'refused' });
    process.clock.increment(60_000);
    assert.equal((await run.ended).value, 'failed');
    const events = records(path).map((record) => ('event' in record ? record.event.type : 'input'));
    assert.deepEqual(events, ['input', 'api.failed', 'backoff.elapsed', 'deadline.reached']);
    assert.equal(openJournal(path, assert.fail).last?.snapshot.value, 'failed');
  }),
);

test(
  'a crash in the upgrade is resumed by adopting what still runs, once the lock is verified',
  inFolder((path) => {
    const first = start(path);
    startRun('r1', INPUT, first.ports);
    first.answer({ type: 'lock.read', lock: FREE });
    first.answer({ type: 'lock.updated', lock: MINE });

    const second = start(path);
    assert.ok(second.journal.last);
    const run = resumeRun(second.journal.last, second.ports);
    second.answer({ type: 'lock.read', lock: MINE });
    assert.deepEqual(second.names(), ['readLock', 'upgradeHost']);
    assert.deepEqual(second.calls[1], ['upgradeHost', { node: 'node-1', resumed: true }]);
    second.answer({ type: 'upgrade.finished', status: { rebootRequired: false, detail: '' } });
    assert.deepEqual(run.snapshot().value, { locked: 'reporting' });
    assert.equal(openJournal(path, assert.fail).last?.run, 'r1');
  }),
);

test(
  'a resumed wait keeps the deadline of its first start',
  inFolder(async (path) => {
    const clock = new SimulatedClock();
    const first = start(path, clock);
    startRun('r1', INPUT, first.ports);
    clock.increment(45_000);
    const second = start(path, clock);
    assert.ok(second.journal.last);
    const run = resumeRun(second.journal.last, second.ports);
    clock.increment(14_999);
    assert.equal(run.snapshot().status, 'active');
    clock.increment(1);
    assert.equal((await run.ended).value, 'failed');
  }),
);

test(
  'a journal that can no longer be written is reported once, and the run releases its lock',
  inFolder(async (path) => {
    const process = start(path);
    const run = startRun('r1', INPUT, process.ports);
    process.answer({ type: 'lock.read', lock: FREE });
    process.journal.close();
    process.answer({ type: 'lock.updated', lock: MINE });
    process.answer({ type: 'upgrade.finished', status: { rebootRequired: false, detail: '' } });
    process.answer({ type: 'node.reported' });
    process.answer({ type: 'lock.read', lock: MINE });
    process.answer({ type: 'lock.updated', lock: FREE });
    assert.equal((await run.ended).value, 'done');
    assert.equal(process.errors.length, 1);
    assert.match(process.errors[0] ?? '', /run r1: EBADF/);
  }),
);

test(
  'an abandoned run records nothing more, whatever its effects still answer',
  inFolder((path) => {
    const process = start(path);
    const run = startRun('r1', INPUT, process.ports);
    process.answer({ type: 'lock.read', lock: FREE });
    const before = records(path).length;
    run.abandon();
    process.answer({ type: 'lock.updated', lock: MINE });
    process.clock.increment(120_000);
    assert.equal(records(path).length, before);
    assert.ok(!process.lines.includes('Running host upgrades...'));
  }),
);

test(
  'no effect starts while a record is still in the page cache only',
  inFolder((path) => {
    const process = start(path);
    let unflushed = 0;
    const journal = {
      ...process.journal,
      append(record: JournalRecord, flush: boolean) {
        unflushed = flush ? 0 : unflushed + 1;
        process.journal.append(record, flush);
      },
    };
    const effects = ['acquireLock', 'upgradeHost', 'reportNode', 'releaseLock'];
    const started: string[] = [];
    process.onCall.run = (name) => {
      if (!effects.includes(name)) return;
      started.push(name);
      assert.equal(unflushed, 0, name);
    };
    const status = { rebootRequired: false, detail: '' };
    startRun('r1', INPUT, { ...process.ports, journal });
    assert.equal(unflushed, 0);
    process.answer({ type: 'lock.read', lock: FREE });
    process.answer({ type: 'lock.updated', lock: MINE });
    process.answer({ type: 'upgrade.output', text: 'Reading package lists...' });
    assert.equal(unflushed, 1);
    process.answer({ type: 'upgrade.finished', status });
    process.answer({ type: 'node.reported' });
    process.answer({ type: 'lock.read', lock: MINE });
    process.answer({ type: 'lock.updated', lock: FREE });
    assert.deepEqual(started, effects);
    assert.equal(unflushed, 0);
  }),
);
