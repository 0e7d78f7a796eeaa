import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineModel } from '../../../src/diagram/model.ts';
import { xOf } from '../../../src/inspector/page/axis.ts';
import { barsOf, isRefusedAt, nearest } from '../../../src/inspector/page/bars.ts';
import {
  History,
  isRecordItem,
  type RecordItem,
  type Stream,
} from '../../../src/inspector/page/history.ts';
import { LockBands } from '../../../src/inspector/page/lock-band.ts';
import { messagesOf } from '../../../src/inspector/page/sequence.ts';
import { ShownTime } from '../../../src/inspector/page/shown-time.ts';
import { panned, partsAt, whole, zoomed } from '../../../src/inspector/page/viewport.ts';
import { waitingWords } from '../../../src/inspector/page/waiting.ts';
import type { Row } from '../../../src/inspector/rows.ts';
import { manyRows, type RecordRow, rowsOf } from './rows.ts';

function historyOf(rows: Row[]): { history: History; items: RecordItem[]; stream: Stream } {
  const history = new History();
  history.append(rows);
  const items = history.items.filter(isRecordItem);
  return { history, items, stream: (items[0] as RecordItem).stream };
}

function shownOf(
  history: History,
  moment: RecordItem | null = null,
  deadlineMs: number | null = null,
): ShownTime {
  const time = new ShownTime(() => {});
  time.follow(history, moment, deadlineMs);
  return time;
}

test('bars follow each other by phase, and cover the run', () => {
  const { history, stream } = historyOf(rowsOf('drain-expired.ndjson'));
  const bars = barsOf(stream, shownOf(history).axis(10_000));
  assert.deepEqual(
    bars.map(({ phase }) => phase),
    ['waiting', 'acquiring', 'upgrading', 'draining', 'undoing', 'releasing', 'failed'],
  );
  for (const [index, { x, width }] of bars.slice(0, -1).entries()) {
    assert.ok(Math.abs(x + width - (bars[index + 1]?.x ?? 0)) < 1);
  }
});

test('there are never more bars than pixels', () => {
  const { history, stream } = historyOf(manyRows(20_000));
  const bars = barsOf(stream, shownOf(history).axis(300));
  assert.ok(bars.length > 100 && bars.length <= 301, `${bars.length}`);
});

test('of the phases on one pixel the longest is drawn', () => {
  const { history, stream } = historyOf(manyRows(20_000));
  const time = shownOf(history);
  const [few, many] = [30, 30_000].map((widthPx) => barsOf(stream, time.axis(widthPx)));
  const lengths = (bars: typeof few) => bars?.map(({ beginMs, endMs }) => endMs - beginMs) ?? [];
  const longest = lengths(many).toSorted((one, other) => other - one);
  // One of the long ones on each pixel, and none of the thousands of short ones.
  assert.ok(Math.min(...lengths(few)) > (longest[Math.floor(longest.length / 2)] ?? 0));
});

test('a run that is refused does not go on, however long others do', () => {
  const rows = rowsOf('rebooted.ndjson');
  const [broken, whole] = [rows.slice(0, 19), rows].map((some, file) =>
    some.map((row) => ({ ...row, source: `${file}`, node: `node-${file}` })),
  ) as [RecordRow[], RecordRow[]];
  const refused = { kind: 'divergence' as const, source: '0', node: 'node-0', line: 20 };
  const { history, items, stream } = historyOf([
    ...broken,
    { ...refused, state: 'locked.upgrading', message: 'leads elsewhere' },
    ...whole,
  ]);
  const last = barsOf(stream, shownOf(history).axis(1_000)).at(-1);
  assert.equal(last?.endMs, items[18]?.atMs);
  assert.ok((items.at(-1)?.atMs ?? 0) > (last?.endMs ?? 0));
  assert.deepEqual([isRefusedAt(stream, 18), isRefusedAt(stream, 19)], [false, true]);
});

test('outputs that are shown as one are all of it', () => {
  const { items } = historyOf(rowsOf('once.ndjson'));
  const message = messagesOf(items, machineModel().states).find(({ count }) => count > 1);
  assert.ok(message);
  assert.equal(message.item.position - message.from + 1, message.count);
  const asked = items[message.from - 1]?.atMs ?? 0;
  assert.ok((message.waitMs ?? 0) >= message.item.atMs - asked);
});

test('a near deadline is on the axis, a far one beyond it', () => {
  const { history, items } = historyOf(rowsOf('drain-expired.ndjson'));
  const [first, last] = [items[0] as RecordItem, items.at(-1) as RecordItem];
  const near = shownOf(history, first, last.atMs + 1_000);
  assert.deepEqual(near.deadline, { atMs: last.atMs + 1_000, isBeyond: false });
  assert.equal(near.axis(100).toMs, last.atMs + 1_000);
  const far = shownOf(history, first, last.atMs + 3_600_000);
  far.run();
  assert.equal(far.deadline?.isBeyond, true);
  assert.equal(far.axis(100).toMs, last.atMs);
  assert.equal(xOf(last.atMs, far.axis(100)), 100);
});

test('the record nearest to a time is found', () => {
  const { items } = historyOf(rowsOf('once.ndjson'));
  assert.equal(nearest(items, 0), items[0]);
  assert.equal(nearest(items, Number.MAX_SAFE_INTEGER), items.at(-1));
  assert.equal(nearest(items, (items[3] as RecordItem).atMs), items[3]);
  assert.equal(nearest([], 5), null);
});

/** Records of two nodes that take the lock one after the other. */
function twoNodes(): Row[] {
  const input = {
    namespace: 'n',
    daemonSet: 'd',
    adopt: false,
    deadlineInMs: null,
    nodes: 2,
    seed: 1,
  };
  const row = (node: string, atMs: number, state: string, event: object | null): RecordRow => {
    const more =
      event === null
        ? { input: { ...input, node }, deadlineMs: null, version: '0' }
        : ({ event } as { event: { type: 'node.reported' } });
    return {
      kind: 'record',
      source: node,
      node,
      record: { seq: 1, atMs, run: node, state, ...more },
    };
  };
  const lock = (value: string, resourceVersion: string) => ({ value, resourceVersion });
  return [
    row('a', 0, 'acquiring.get', null),
    row('b', 0, 'acquiring.get', null),
    row('a', 10, 'locked.upgrading', { type: 'lock.updated', lock: lock('a', '2') }),
    row('b', 12, 'acquiring.watch.held', { type: 'lock.read', lock: lock('a', '2') }),
    row('a', 5_000, 'done', { type: 'lock.updated', lock: lock('', '3') }),
    // Seen late: what is newer is known already.
    row('b', 5_001, 'acquiring.watch.held', { type: 'lock.changed', lock: lock('a', '2') }),
    row('b', 5_010, 'locked.upgrading', { type: 'lock.updated', lock: lock('b', '4') }),
    row('b', 6_000, 'locked.reporting', { type: 'upgrade.finished' }),
  ];
}

test('the lock has one holder at a time, whatever comes late', () => {
  const rows = twoNodes();
  const history = new History();
  const bands = new LockBands(history);
  for (const row of rows) {
    history.append([row]);
    bands.groups();
  }
  const groups = bands.groups();
  assert.deepEqual(
    groups.map(({ lock, streams }) => [lock, streams.length]),
    [['n/d', 2]],
  );
  assert.deepEqual(groups[0]?.holds, [
    { holder: 'a', fromMs: 10, toMs: 5_000, isOver: true },
    { holder: 'b', fromMs: 5_010, toMs: 6_000, isOver: false },
  ]);
});

test('waiting is told in words', () => {
  const { history, items } = historyOf(twoNodes());
  const holds = new LockBands(history).groups()[0]?.holds ?? [];
  assert.equal(waitingWords(items[7] as RecordItem, holds), 'waited 5.0 s for the lock, behind a');
  assert.equal(
    waitingWords(items[3] as RecordItem, holds),
    'has waited 12 ms for the lock, 2 ms of it behind a',
  );
  assert.equal(waitingWords(items[4] as RecordItem, holds), 'waited 10 ms for the lock');
});

test('zooming keeps the point that is pointed at, and never leaves the picture', () => {
  const full = whole({ width: 1_000, height: 500 });
  const near = zoomed(full, 2, full, { x: 0.25, y: 0.5 });
  assert.equal(near.width, full.width / 2);
  assert.equal(near.x + near.width * 0.25, full.x + full.width * 0.25);
  assert.deepEqual(zoomed(near, 0.1, full), full);
  assert.equal(panned(near, -5_000, 0, full).x, full.x);
  assert.equal(panned(near, 5_000, 0, full).x, full.x + full.width - near.width);
});

test('a point of the frame is found in the picture, which is at its left and in its middle', () => {
  const view = { x: 0, y: 0, width: 100, height: 50 };
  assert.deepEqual(partsAt(view, { width: 400, height: 100 }, 100, 50), { x: 0.5, y: 0.5 });
  assert.deepEqual(partsAt(view, { width: 200, height: 300 }, 100, 100), { x: 0.5, y: 0 });
});
