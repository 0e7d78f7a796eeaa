import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { of, Subject } from 'rxjs';
import { SimulatedClock } from 'xstate';
import type { RunEvent } from '../../machines/events.ts';
import { disruptionOf } from '../../machines/setup.ts';
import { openJournal } from '../../src/journal/file.ts';
import { createLog } from '../../src/log/log.ts';
import { parseSchedule } from '../../src/schedule/schedule.ts';
import { createRunner, nativeActors } from '../../src/service/runner.ts';
import { runOnce, runScheduled, STOP_GRACE_MS } from '../../src/service/service.ts';

const STATUS = { rebootRequired: false, detail: '' };
const FINISHED: RunEvent = { type: 'upgrade.finished', status: STATUS };
const FAILED: RunEvent = { type: 'upgrade.failed', status: STATUS, message: 'no disk' };
const TICK_MS = 600_000;
const NOTHING = { unfinished: null, before: null };

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'service-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A native process whose host's upgrades the test ends, with a schedule that ticks when told. */
function start() {
  const clock = new SimulatedClock();
  const lines: string[] = [];
  const upgrades: { run: string; resumed: boolean; events: Subject<RunEvent> }[] = [];
  const runClock = {
    nowMs: () => clock.now(),
    setTimeout: (run: () => void, delayMs: number) => clock.setTimeout(run, delayMs),
    clearTimeout: (id: unknown) => clock.clearTimeout(id as number),
  };
  const log = createLog({
    format: 'classic',
    level: 'info',
    write: (line) => lines.push(line.slice('YYYY/MM/DD HH:MM:SS '.length).trimEnd()),
    isTerminal: false,
    hasColour: false,
    nowMs: () => clock.now(),
  });
  const journal = openJournal(join(folder, 'journal.ndjson'), assert.fail);
  const runner = createRunner({
    names: { namespace: '', daemonSet: '', node: 'host' },
    version: '1',
    journal,
    clock: runClock,
    log,
    kubeActors: nativeActors({ nowMs: Date.now }),
    upgradeHost: (run, resumed) => {
      const events = new Subject<RunEvent>();
      upgrades.push({ run, resumed, events });
      return events;
    },
    rebootHost: () => of({ type: 'reboot.requested' }),
    disruption: disruptionOf({}),
    boot: { bootId: 'one', bootMs: 0 },
    nodes: 1,
  });
  const stop = new AbortController();
  const timetable = {
    schedule: parseSchedule('@every 10m', 'UTC'),
    windowMs: 60_000,
    zone: 'UTC',
    sinceMs: 0,
    isHard: false,
  };
  const ports = { runner, log, clock: runClock, stop: stop.signal };
  const upgraded = (event: RunEvent) => upgrades.at(-1)?.events.next(event);
  const tick = () => clock.increment(TICK_MS - (clock.now() % TICK_MS));
  const said = () => lines.splice(0);
  return { clock, ports, timetable, stop, upgrades, upgraded, tick, said, journal };
}

/** Lets promises that are due run. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test('one run, and whether it succeeded', async () => {
  const process = start();
  const once = runOnce(NOTHING, process.ports);
  process.upgraded(FINISHED);
  assert.equal(await once, true);
  assert.deepEqual(process.said(), [
    'Skip kube locking',
    'Running host upgrades...',
    'Skip kube node condition',
    'No reboot required',
    'Done',
  ]);
  const again = runOnce(NOTHING, process.ports);
  process.upgraded(FAILED);
  assert.equal(await again, false);
});

const USING = [
  'Using --schedule="@every 10m", first upgrade at: 1970-01-01 00:10:00 +0000 UTC (in 10m0s)',
  'Using --schedule-window=1m0s',
];

test('a failed run is told, and the next tick runs again', async () => {
  const process = start();
  const service = runScheduled(NOTHING, process.timetable, process.ports);
  assert.deepEqual(process.said(), USING);
  process.tick();
  process.clock.increment(500);
  process.upgraded(FAILED);
  await settle();
  const said = process.said();
  assert.equal(said[0], 'Schedule run started, deadline at 1970-01-01 00:11:00 +0000 UTC');
  assert.deepEqual(said.slice(-2), [
    'no disk',
    'Schedule run failed after 500ms, next upgrade at: 1970-01-01 00:20:00 +0000 UTC (in 9m59.5s)',
  ]);
  process.tick();
  process.upgraded(FINISHED);
  await settle();
  assert.equal(
    process.said().at(-1),
    'Schedule run completed in 0s, next upgrade at: 1970-01-01 00:30:00 +0000 UTC (in 10m0s)',
  );
  process.stop.abort();
  await service;
  process.tick();
  assert.deepEqual([process.said(), process.upgrades.length], [[], 2]);
});

test('a tick while a run is on is skipped, and said so', async () => {
  const process = start();
  void runScheduled(NOTHING, process.timetable, process.ports);
  process.tick();
  process.said();
  process.tick();
  assert.deepEqual(process.said(), ['Scheduler is busy, skipping scheduled run']);
  assert.equal(process.upgrades.length, 1);
});

test('a tick that the start-up took is run when it is over, within its window', async () => {
  for (const [lateMs, runs] of [
    [59_999, 1],
    [60_000, 0],
  ] as const) {
    const process = start();
    process.clock.increment(TICK_MS + lateMs);
    void runScheduled(NOTHING, { ...process.timetable, sinceMs: 1_000 }, process.ports);
    assert.equal(process.upgrades.length, runs, `${lateMs}`);
  }
});

test('a tick of before the start is not caught up on', async () => {
  const process = start();
  process.clock.increment(TICK_MS + 10_000);
  void runScheduled(NOTHING, { ...process.timetable, sinceMs: TICK_MS }, process.ports);
  assert.equal(process.upgrades.length, 0);
});

test('a stop in the middle of an upgrade leaves it to systemd, and the next process goes on', async () => {
  const first = start();
  const service = runScheduled(NOTHING, first.timetable, first.ports);
  first.tick();
  first.stop.abort();
  await service;
  assert.equal(first.said().at(-1), 'Stopping, the next start goes on with this run...');
  first.journal.close();

  const second = start();
  const { last } = second.journal;
  assert.ok(last);
  const once = runOnce({ unfinished: last, before: null }, second.ports);
  assert.deepEqual(
    second.upgrades.map(({ run, resumed }) => ({ run, resumed })),
    [{ run: first.upgrades[0]?.run, resumed: true }],
  );
  second.upgraded(FINISHED);
  assert.equal(await once, true);
});

test('--hard-window: what is adopted at a start has only what is left of the open window', async () => {
  for (const [isHard, expected] of [
    [true, 50_000],
    [false, null],
  ] as const) {
    const process = start();
    process.clock.increment(TICK_MS + 10_000);
    const deadlines: (number | null)[] = [];
    const runner = {
      ...process.ports.runner,
      start: (deadlineInMs: number | null) => {
        deadlines.push(deadlineInMs);
        return new Promise<never>(() => {});
      },
    };
    const timetable = { ...process.timetable, isHard, sinceMs: TICK_MS + 10_000 };
    const left = { unfinished: null, before: { adopt: true } };
    const service = runScheduled(left, timetable, { ...process.ports, runner });
    assert.deepEqual(deadlines, [expected]);
    process.stop.abort();
    await service;
  }
});

test('a run that does not rest in time is left behind after the grace', async () => {
  const process = start();
  let isAbandoned = false;
  const runner = {
    ...process.ports.runner,
    isBusy: () => true,
    stop: () => new Promise<void>(() => {}),
    abandon: () => {
      isAbandoned = true;
    },
  };
  const service = runScheduled(NOTHING, process.timetable, { ...process.ports, runner });
  process.said();
  process.stop.abort();
  await settle();
  // With what is closed after it, it is to be over within 5 s.
  assert.ok(STOP_GRACE_MS < 5_000);
  process.clock.increment(STOP_GRACE_MS - 1);
  await settle();
  assert.deepEqual(process.said(), []);
  process.clock.increment(1);
  await service;
  assert.match(process.said().at(-1) ?? '', /^Stopping in the middle of a run/);
  assert.equal(isAbandoned, true);
});
