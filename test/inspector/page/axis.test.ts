import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeAt, xOf } from '../../../src/inspector/page/axis.ts';
import { History, isRecordItem, type RecordItem } from '../../../src/inspector/page/history.ts';
import { Quiet } from '../../../src/inspector/page/quiet.ts';
import { sharesOf } from '../../../src/inspector/page/shares.ts';
import { ShownTime } from '../../../src/inspector/page/shown-time.ts';
import { breakLabel, ticksOf } from '../../../src/inspector/page/ticks.ts';
import type { Row } from '../../../src/inspector/rows.ts';
import { nightlyRows, rolloutRows, runAt } from './nights.ts';
import { type RecordRow, rowsOf } from './rows.ts';

const HOUR_MS = 3_600_000;

function historyOf(rows: readonly Row[]): { history: History; items: RecordItem[] } {
  const history = new History();
  history.append(rows);
  return { history, items: history.items.filter(isRecordItem) };
}

function shownOf(rows: readonly Row[], at = 0): { time: ShownTime; items: RecordItem[] } {
  const { history, items } = historyOf(rows);
  const time = new ShownTime(() => {});
  time.follow(history, items.at(at) ?? null, null);
  return { time, items };
}

function gapsOf(rows: readonly Row[]) {
  return new Quiet(historyOf(rows).history).extend().gaps;
}

/** The records behind a state come later by so much. */
function stretched(history: string, state: string, byMs: number): RecordRow[] {
  const rows = rowsOf(history);
  const last = rows.findLastIndex(({ record }) => record.state === state);
  return rows.map((row, at) =>
    at <= last ? row : { ...row, record: { ...row.record, atMs: row.record.atMs + byMs } },
  );
}

test('what is between nightly runs is cut, each gap as long as it was', () => {
  const rows = nightlyRows(5);
  const gaps = gapsOf(rows);
  assert.equal(gaps.length, 4);
  const perNight = rows.length / 5;
  for (const [night, { fromMs, toMs }] of gaps.entries()) {
    assert.equal(fromMs, rows[(night + 1) * perNight - 1]?.record.atMs);
    assert.equal(toMs, rows[(night + 1) * perNight]?.record.atMs);
  }
});

test('gaps are the same whether rows come one by one, at once, or out of their order', () => {
  const rows = nightlyRows(4);
  const history = new History();
  const quiet = new Quiet(history);
  for (const row of rows) {
    history.append([row]);
    quiet.extend();
  }
  const other = runAt('once.ndjson', Date.UTC(2026, 10, 4, 14), 'noon', { node: 'other' });
  history.append(other);
  assert.deepEqual(quiet.extend().gaps, gapsOf([...other, ...rows]));
  assert.equal(quiet.extend().gaps.length, 4);
});

test('a time is not cut in which a run of another node is under way', () => {
  const slow = stretched('rebooted.ndjson', 'acquiring.watch.held', 30 * 60_000);
  const begin = slow[0]?.record.atMs ?? 0;
  const quick = runAt('once.ndjson', begin + 20 * 60_000, 'quick', { node: 'quick' });
  assert.deepEqual(gapsOf([...slow, ...quick]), []);
  // Interrupted, a run is not under way.
  const away = stretched('rebooted.ndjson', 'interrupted', 30 * 60_000);
  assert.equal(gapsOf(away).length, 1);
});

test('a wait within a run is cut where it hides all else, hours long', () => {
  const wait = (ms: number) => gapsOf(stretched('rebooted.ndjson', 'acquiring.watch.held', ms));
  assert.equal(wait(0.9 * HOUR_MS).length, 0);
  assert.equal(wait(6 * HOUR_MS).length, 1);
});

test('the axis is to one scale but for its breaks, and tells each time back', () => {
  const { time, items } = shownOf(nightlyRows(3));
  const axis = time.axis(1_000);
  const widths = axis.pieces.map(({ width, isBreak }) => [isBreak, Math.round(width)]);
  assert.deepEqual(widths, [
    [false, 303],
    [true, 46],
    [false, 303],
    [true, 46],
    [false, 303],
  ]);
  for (const { atMs } of items) assert.ok(Math.abs(timeAt(xOf(atMs, axis), axis) - atMs) < 1);
  assert.deepEqual([xOf(axis.fromMs, axis), Math.round(xOf(axis.toMs, axis))], [0, 1_000]);
  time.cut(false);
  const whole = time.axis(1_000);
  assert.deepEqual(
    whole.pieces.map(({ width, isBreak }) => [isBreak, Math.round(width)]),
    [[false, 1_000]],
  );
});

test('zooming goes to the selected event and back to all, and does not lose it', () => {
  const { time, items } = shownOf(nightlyRows(20), 100);
  const atMs = items.at(100)?.atMs ?? 0;
  for (let step = 0; step < 12; step += 1) {
    time.zoom(2);
    const { fromMs, toMs } = time.axis(1_000);
    assert.ok(fromMs <= atMs && atMs <= toMs, `step ${step}`);
  }
  assert.ok(time.axis(1_000).toMs - time.axis(1_000).fromMs < 1_000);
  for (let step = 0; step < 20 && time.kind !== 'all'; step += 1) time.zoom(0.5);
  assert.equal(time.kind, 'all');
});

test('moving stays within what there is, and back again is where it was', () => {
  const { time } = shownOf(nightlyRows(20), 100);
  time.zoom(8);
  const before = time.axis(1_000);
  time.turn(1);
  assert.ok(time.axis(1_000).fromMs > before.fromMs);
  for (let step = 0; step < 200; step += 1) time.turn(1);
  const end = time.axis(1_000);
  assert.equal(Math.round(xOf(end.pieces.at(-1)?.toMs ?? 0, end)), 1_000);
  for (let step = 0; step < 400; step += 1) time.turn(-1);
  const begin = time.axis(1_000);
  assert.equal(Math.round(xOf(begin.pieces[0]?.fromMs ?? 0, begin)), 0);
});

test('an event outside of what is shown brings it along; moving away from one does not', () => {
  const { history, items } = historyOf(nightlyRows(20));
  const time = new ShownTime(() => {});
  const select = (at: number) => time.follow(history, items.at(at) ?? null, null);
  const isInSight = (at: number) => {
    const { fromMs, toMs } = time.axis(1_000);
    const atMs = items.at(at)?.atMs ?? 0;
    return fromMs <= atMs && atMs <= toMs;
  };
  select(0);
  time.zoom(20);
  assert.equal(isInSight(-1), false);
  select(-1);
  assert.equal(isInSight(-1), true);
  assert.equal(isInSight(0), false);
  for (let step = 0; step < 8; step += 1) time.turn(-1);
  select(-1);
  assert.equal(isInSight(-1), false);
});

test('"this run" goes on to the run of each event that is selected', () => {
  const { history, items } = historyOf(nightlyRows(3));
  const time = new ShownTime(() => {});
  time.follow(history, items[0] ?? null, null);
  time.run();
  assert.equal(time.axis(100).fromMs, items[0]?.atMs);
  time.follow(history, items.at(-1) ?? null, null);
  assert.equal(time.axis(100).toMs, items.at(-1)?.atMs);
  assert.equal(time.axis(100).toMs - time.axis(100).fromMs, 17_150);
});

test('labels are true and do not run into each other', () => {
  const { time } = shownOf(nightlyRows(28));
  for (const widthPx of [320, 900, 1_256]) {
    const ticks = ticksOf(time.axis(widthPx));
    assert.ok(ticks.length > 3, `${widthPx}`);
    for (const [index, { x, text }] of ticks.slice(1).entries()) {
      const before = ticks[index];
      assert.ok(x >= (before?.x ?? 0) + (before?.text.length ?? 0) * 6, `${before?.text} ${text}`);
      assert.equal(
        text.slice(0, 5),
        new Date(timeAt(x, time.axis(widthPx)) + 1).toISOString().slice(5, 10),
      );
    }
  }
  const gap = { fromMs: 0, toMs: 14.2 * HOUR_MS, x: 0, isBreak: true };
  const said = [80, 50, 40, 10].map((width) => breakLabel({ ...gap, width }));
  assert.deepEqual(said, ['14 h 12 min', '14h12m', '~14h', '']);
});

test('a thousand nodes are counted in few paths, the most at once over the whole height', () => {
  const { history } = historyOf(rolloutRows(200));
  const time = new ShownTime(() => {});
  time.follow(history, null, null);
  const shares = sharesOf([...history.streams.values()], time.axis(400), 30);
  assert.ok(shares.length <= 11, `${shares.length}`);
  const waiting = shares.find(({ phase }) => phase === 'waiting')?.path ?? '';
  const heights = [...waiting.matchAll(/v([\d.]+)/g)].map(([, height]) => Number(height));
  assert.ok(Math.max(...heights) > 29 && Math.max(...heights) <= 30);
  assert.ok((heights.at(-1) ?? 0) < 1);
});

test('zooming in on the last event keeps it in sight', () => {
  const rows = nightlyRows(42);
  const { time, items } = shownOf(rows, rows.length - 1);
  for (let times = 0; times < 3; times += 1) time.zoom(2);
  const { fromMs, toMs } = time.axis(1_000);
  const atMs = items.at(-1)?.atMs ?? 0;
  assert.ok(fromMs <= atMs && atMs <= toMs + 1, `${fromMs} ${atMs} ${toMs}`);
});

test('years have labels, too', () => {
  const year = nightlyRows(365);
  const { time } = shownOf(year);
  time.cut(false);
  assert.ok(ticksOf(time.axis(1_200)).length >= 4);
});
