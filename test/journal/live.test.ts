import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Subject } from 'rxjs';
import { fromEventObservable, SimulatedClock } from 'xstate';
import type { RunEvent } from '../../machines/events.ts';
import { runMachine } from '../../machines/run.ts';
import { openJournal } from '../../src/journal/file.ts';
import { type LivePorts, resumeRun, startRun } from '../../src/journal/live.ts';
import { type JournalRecord, parseJournal } from '../../src/journal/record.ts';
import { formatLine } from '../../src/trace/format.ts';
import { INPUT } from '../machines/input.ts';

const FREE = { value: '', resourceVersion: '1' };
const MINE = { value: 'node-1', resourceVersion: '2' };

/** A process: its machine's actors are subjects that the test answers for. */
function start(path: string, clock = new SimulatedClock()) {
  const calls: [string, unknown][] = [];
  let current = new Subject<RunEvent>();
  const onCall: { run: (name: string) => void } = { run: () => {} };
  const port = <Input>(name: string) =>
    fromEventObservable<RunEvent, Input>(({ input }) => {
      calls.push([name, input]);
      onCall.run(name);
      current = new Subject<RunEvent>();
      return current;
    });
  const lines: string[] = [];
  const errors: string[] = [];
  const journal = openJournal(path, (warning) => errors.push(warning));
  const ports: LivePorts = {
    machine: runMachine.provide({
      actors: {
        readLock: port('readLock'),
        watchLock: port('watchLock'),
        acquireLock: port('acquireLock'),
        releaseLock: port('releaseLock'),
        upgradeHost: port('upgradeHost'),
        reportNode: port('reportNode'),
      },
    }),
    journal,
    clock: {
      nowMs: () => clock.now(),
      setTimeout: (run, delayMs) => clock.setTimeout(run, delayMs),
      clearTimeout: (id) => clock.clearTimeout(id as number),
    },
    version: '1',
    onLine: (line) => lines.push(formatLine(line, INPUT)),
    onResumption: () => {},
    onRecord: () => {},
    onJournalError: (error) => errors.push(error.message),
  };
  const names = () => calls.map(([name]) => name);
  const answer = (event: RunEvent) => current.next(event);
  return { ports, calls, names, answer, lines, errors, journal, clock, onCall };
}

function inFolder(run: (path: string) => Promise<void> | void) {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), 'live-'));
    try {
      await run(join(folder, 'journal.ndjson'));
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
}

const records = (path: string) => parseJournal(readFileSync(path)).records;

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
