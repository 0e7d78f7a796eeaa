import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSchedule } from '../../src/schedule/schedule.ts';
import { LATE_WITHOUT_WINDOW_MS } from '../../src/schedule/tick.ts';
import { MAX_SLEEP_MS, startTicker } from '../../src/schedule/ticker.ts';
import { record } from './recorder.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, utc } from './ticks.ts';
import { VirtualClock } from './virtual-clock.ts';

test('a tick is delivered at its time, once', () => {
  const clock = new VirtualClock('2026-01-01T00:00Z');
  const { calls, calledMs } = record(clock, '*/5 * * * *', 'UTC');
  clock.pass(15 * MINUTE_MS);
  assert.deepEqual(calls, [
    'run 2026-01-01T00:05Z',
    'run 2026-01-01T00:10Z',
    'run 2026-01-01T00:15Z',
  ]);
  assert.deepEqual(
    calledMs.map((ms) => new Date(ms).toISOString().slice(14)),
    ['05:00.000Z', '10:00.000Z', '15:00.000Z'],
  );
});

test('trap 46: a tick 31 days ahead neither overflows a timer nor comes early', () => {
  const clock = new VirtualClock('2026-01-01T03:00:01Z');
  const { ticker, calls } = record(clock, '0 3 1 * *', 'UTC');
  assert.equal(utc(ticker.nextMs()), '2026-02-01T03:00Z');
  clock.pass(31 * DAY_MS - 2_000);
  assert.deepEqual(calls, []);
  clock.pass(1_000);
  assert.deepEqual(calls, ['run 2026-02-01T03:00Z']);
  assert.equal(clock.longestMs, MAX_SLEEP_MS);
  assert.equal(utc(ticker.nextMs()), '2026-03-01T03:00Z');
});

test('trap 47: an hour forward is at most one run; two hours back, the next tick comes in time', () => {
  const clock = new VirtualClock('2026-01-01T00:00:07Z');
  const { calls } = record(clock, '*/5 * * * *', 'UTC', HOUR_MS);
  clock.pass(2 * MINUTE_MS);
  clock.setBy(HOUR_MS);
  clock.pass(MINUTE_MS);
  assert.deepEqual(calls, ['run 2026-01-01T01:00Z']);
  clock.pass(5 * MINUTE_MS);
  clock.setBy(-2 * HOUR_MS);
  clock.pass(5 * MINUTE_MS);
  assert.deepEqual(calls, [
    'run 2026-01-01T01:00Z',
    'run 2026-01-01T01:05Z',
    'run 2025-12-31T23:10Z',
  ]);
});

test('trap 47: two hours back, the next tick comes within its period by the new wall time', () => {
  // The phase between the step and the ticker's own wake-ups decides: try all seconds of a period.
  for (let second = 0; second < 300; second += 1) {
    const clock = new VirtualClock('2026-01-01T00:00Z');
    const { calls, calledMs } = record(clock, '*/5 * * * *', 'UTC', HOUR_MS);
    clock.pass(20 * MINUTE_MS + second * 1000);
    const before = calls.length;
    clock.setBy(-2 * HOUR_MS);
    const setAtMs = clock.nowMs();
    clock.pass(6 * MINUTE_MS);
    const [tick] = calls.slice(before);
    const tickMs = Date.parse(tick?.slice(4) ?? '');
    assert.ok(tickMs > setAtMs && tickMs <= setAtMs + 5 * MINUTE_MS, `${tick}, second ${second}`);
    assert.ok((calledMs[before] ?? 0) - tickMs < MAX_SLEEP_MS);
  }
});

test('trap 47: a clock that steps back a little does not run the same tick again', () => {
  for (const backMs of [1, 1_000, HOUR_MS, 23 * HOUR_MS]) {
    const clock = new VirtualClock('2026-01-01T00:00Z');
    const { ticker, calls } = record(clock, '0 2 * * *', 'UTC', HOUR_MS);
    clock.pass(2 * HOUR_MS);
    clock.setBy(-backMs);
    assert.equal(utc(ticker.nextMs()), '2026-01-02T02:00Z');
    clock.pass(DAY_MS + backMs);
    assert.deepEqual(calls, ['run 2026-01-01T02:00Z', 'run 2026-01-02T02:00Z'], `${backMs} ms`);
  }
});

test('trap 47: what a clock wrong by years ran does not keep the right time from running', () => {
  const clock = new VirtualClock('2030-06-01T00:00Z');
  const { calls } = record(clock, '0 2 * * *', 'UTC', HOUR_MS);
  clock.pass(3 * HOUR_MS);
  clock.setBy(Date.parse('2026-01-01T01:00Z') - clock.nowMs());
  clock.pass(2 * HOUR_MS);
  assert.deepEqual(calls, ['run 2030-06-01T02:00Z', 'run 2026-01-01T02:00Z']);
});

test('a tick noticed when its window is over is missed, and comes again with the right time', () => {
  const clock = new VirtualClock('2026-01-01T20:00Z');
  const { calls } = record(clock, '0 2 * * *', 'UTC', HOUR_MS);
  clock.setBy(13 * HOUR_MS);
  clock.pass(MINUTE_MS);
  assert.deepEqual(calls, ['missed 2026-01-02T02:00Z']);
  clock.setBy(-13 * HOUR_MS);
  clock.pass(6 * HOUR_MS);
  assert.deepEqual(calls, ['missed 2026-01-02T02:00Z', 'run 2026-01-02T02:00Z']);
});

test('a process that stood still runs a late tick while its window is open', () => {
  const late: [number, number, string][] = [
    [HOUR_MS, 59 * MINUTE_MS, 'run'],
    [HOUR_MS, HOUR_MS, 'missed'],
    [0, LATE_WITHOUT_WINDOW_MS - 1, 'run'],
    [0, LATE_WITHOUT_WINDOW_MS, 'missed'],
  ];
  for (const [windowMs, lateMs, verdict] of late) {
    const clock = new VirtualClock('2026-01-01T01:59:30Z');
    const { calls } = record(clock, '0 2 * * *', 'UTC', windowMs);
    clock.stall(30_000 + lateMs);
    assert.deepEqual(calls, [`${verdict} 2026-01-01T02:00Z`], `${windowMs} ${lateMs}`);
  }
});

test('a tick while a run is on is busy; the next one runs', () => {
  const clock = new VirtualClock('2026-01-01T00:00Z');
  const { calls, state } = record(clock, '@hourly', 'UTC', HOUR_MS);
  clock.pass(HOUR_MS);
  state.isBusy = true;
  clock.pass(HOUR_MS);
  state.isBusy = false;
  clock.pass(HOUR_MS);
  assert.deepEqual(calls, [
    'run 2026-01-01T01:00Z',
    'busy 2026-01-01T02:00Z',
    'run 2026-01-01T03:00Z',
  ]);
});

test('no tick falls between two looks at a clock that moves on in between', () => {
  for (let phaseMs = 0; phaseMs < 100; phaseMs += 1) {
    const clock = new VirtualClock(Date.parse('2026-01-01T01:58:59.900Z') + phaseMs);
    clock.costMs = 7;
    const { calls } = record(clock, '0 2 * * *', 'UTC');
    clock.pass(2 * MINUTE_MS);
    assert.deepEqual(calls, ['run 2026-01-01T02:00Z'], `${phaseMs} ms`);
    assert.equal(clock.timers.size, 1);
  }
});

test('a stopped ticker leaves no timer and calls nothing, also when stopped by its own tick', () => {
  const clock = new VirtualClock('2026-01-01T00:00Z');
  const { ticker, calls } = record(clock, '* * * * *', 'UTC');
  clock.pass(MINUTE_MS);
  ticker.stop();
  assert.equal(clock.timers.size, 0);
  clock.pass(HOUR_MS);
  assert.equal(calls.length, 1);

  let count = 0;
  const own = startTicker({
    schedule: parseSchedule('* * * * *', 'UTC'),
    clock,
    windowMs: 0,
    isBusy: () => false,
    onTick: () => {
      count += 1;
      own.stop();
    },
    onBusy: () => assert.fail(),
    onMissed: () => assert.fail(),
  });
  clock.pass(HOUR_MS);
  assert.equal(count, 1);
  assert.equal(clock.timers.size, 0);
});

test('a callback that throws does not end the ticker', () => {
  const clock = new VirtualClock('2026-01-01T00:00Z');
  let count = 0;
  startTicker({
    schedule: parseSchedule('* * * * *', 'UTC'),
    clock,
    windowMs: 0,
    isBusy: () => false,
    onTick: () => {
      count += 1;
      throw new Error('a run that could not start');
    },
    onBusy: () => assert.fail(),
    onMissed: () => assert.fail(),
  });
  assert.throws(() => clock.pass(MINUTE_MS), /could not start/);
  assert.throws(() => clock.pass(MINUTE_MS), /could not start/);
  assert.equal(count, 2);
});
