import assert from 'node:assert/strict';
import { test } from 'node:test';
import { advance, pointOf, start, stateName } from '../../../machines/fold.ts';
import { runMachine } from '../../../machines/run.ts';
import { CHECKPOINT_EVERY, Folder } from '../../../src/inspector/page/folder.ts';
import { History, isRecordItem, type RecordItem } from '../../../src/inspector/page/history.ts';
import { possibilities } from '../../../src/inspector/page/possible.ts';
import { Verifier } from '../../../src/inspector/page/verifier.ts';
import { HISTORIES, manyRows, recordsOf, rowsOf } from './rows.ts';

function historyOf(rows: Parameters<History['append']>[0]) {
  const history = new History();
  history.append(rows);
  const items = history.items.filter(isRecordItem);
  return { history, items, folder: new Folder() };
}

for (const name of HISTORIES) {
  test(`every moment of ${name} is the machine's, looked at in any order`, () => {
    const { items, folder } = historyOf(rowsOf(name));
    const expected: { value: unknown; context: unknown }[] = [];
    let snapshot: ReturnType<typeof start>['snapshot'] | null = null;
    for (const record of recordsOf(name)) {
      if ('input' in record) snapshot = start(record.input).snapshot;
      else snapshot = (snapshot && advance(snapshot, record.event)?.snapshot) ?? null;
      assert.ok(snapshot);
      expected.push({ value: snapshot.value, context: snapshot.context });
    }
    for (const item of items.toReversed()) {
      const step = folder.stepAt(item);
      assert.ok(typeof step !== 'string', String(step));
      const { value, context } = step.fold.snapshot;
      assert.deepEqual({ value, context }, expected[item.position]);
      assert.equal(step.to, stateName(value));
    }
  });
}

test('a moment deep in a long history is folded from its run alone', () => {
  const { items, folder } = historyOf(manyRows(20_000));
  const item = items.at(-1) as RecordItem;
  const step = folder.stepAt(item);
  assert.ok(typeof step !== 'string' && step.to === item.row.record.state);
});

test('a record that leads elsewhere breaks the history there and not before', () => {
  const rows = rowsOf('once.ndjson');
  const altered = rows.map((row, index) =>
    index === 10 ? { ...row, record: { ...row.record, state: 'acquiring.get' } } : row,
  );
  const { items, folder, history } = historyOf(altered);
  const verifier = new Verifier(history, folder);
  assert.equal(
    verifier.work(() => false),
    false,
  );
  const message = 'leads to locked.upgrading, but the record says acquiring.get';
  assert.equal(folder.stepAt(items[10] as RecordItem), message);
  assert.equal(folder.stepAt(items[12] as RecordItem), message);
  assert.ok(typeof folder.stepAt(items[9] as RecordItem) !== 'string');
  assert.deepEqual(folder.breakOf((items[0] as RecordItem).stream), {
    position: 10,
    state: 'locked.upgrading',
    message,
  });
});

test('what stands ahead of the first beginning is not folded, and breaks nothing', () => {
  const { items, folder, history } = historyOf(rowsOf('once.ndjson').slice(5));
  const verifier = new Verifier(history, folder);
  verifier.work(() => false);
  assert.equal(folder.stepAt(items[0] as RecordItem), 'its run began before this history does');
  assert.equal(folder.breakOf((items[0] as RecordItem).stream), null);
});

test('a run that began ahead of its history goes on from the point that its first row has', () => {
  const rows = rowsOf('drain-expired.ndjson');
  const { items, folder } = historyOf(rows);
  const at = rows.findIndex(({ record }) => record.state === 'locked.draining.evicting');
  const before = folder.stepAt(items[at - 1] as RecordItem);
  assert.ok(typeof before !== 'string');
  const point = pointOf(before.fold.snapshot);
  const excerpt = historyOf(rows.slice(at).map((row, index) => (index ? row : { ...row, point })));
  for (const [index, item] of excerpt.items.entries()) {
    const [part, whole] = [
      excerpt.folder.stepAt(item),
      folder.stepAt(items[at + index] as RecordItem),
    ];
    assert.ok(typeof part !== 'string' && typeof whole !== 'string', String(part));
    assert.deepEqual(part.fold.snapshot.context, whole.fold.snapshot.context);
    assert.deepEqual([part.from, part.to, part.lines], [whole.from, whole.to, whole.lines]);
  }
  const first = excerpt.folder.stepAt(excerpt.items[0] as RecordItem);
  assert.ok(typeof first !== 'string' && first.fold.isExcerpt);
  // Since when the drain goes on is not told, and so not when it is over.
  const due = (type: string) =>
    possibilities(first.fold, null).find((one) => one.type === type)?.due;
  assert.equal(due('drain.expired'), null);
});

test('verification stops when it is told to and goes on where it was', () => {
  const { history, folder } = historyOf(manyRows(1_000));
  const verifier = new Verifier(history, folder);
  let left = 300;
  const isOver = () => {
    left -= 1;
    return left < 0;
  };
  assert.equal(verifier.work(isOver), true);
  assert.equal(verifier.verified, 300);
  assert.equal(
    verifier.work(() => false),
    false,
  );
  assert.equal(verifier.verified, 1_000);
});

test('conditions outlive their run, and are known once verified', () => {
  const first = rowsOf('once.ndjson');
  const later = first.map((row) => ({
    ...row,
    record: { ...row.record, atMs: row.record.atMs + 60_000 },
  }));
  const { history, folder, items } = historyOf([...first, ...later]);
  const verifier = new Verifier(history, folder);
  const second = items[first.length + 2] as RecordItem;
  assert.equal(verifier.conditionsAt(second), null);
  verifier.work(() => false);
  const conditions = verifier.conditionsAt(second) ?? [];
  assert.deepEqual(
    conditions.map(({ type, status, reason }) => [type, status, reason]),
    [
      ['HostUpgrades', 'True', 'UpToDate'],
      ['HostUpgradesReboot', 'False', 'UpToDate'],
    ],
  );
  assert.deepEqual(verifier.conditionsAt(items[0] as RecordItem), []);
  // The second report says the same: nothing has changed since the first.
  const reported = items.find(
    ({ row: { record } }) => 'event' in record && record.event.type === 'node.reported',
  );
  const [upgrades] = verifier.conditionsAt(items.at(-1) as RecordItem) ?? [];
  assert.equal(upgrades?.lastTransitionTime?.getTime(), reported?.atMs);
});

test('once a run is verified, a look at any of its moments folds no more than 250 records', () => {
  const [begin, ...rest] = rowsOf('once.ndjson');
  const output = rest.find(
    ({ record }) => 'event' in record && record.event.type === 'upgrade.output',
  );
  assert.ok(begin && output);
  const at = rest.indexOf(output);
  const many = Array.from({ length: 5_000 }, () => output);
  const { history, folder, items } = historyOf([begin, ...rest.slice(0, at), ...many]);
  const { transition } = runMachine;
  let folded = 0;
  runMachine.transition = (...asked) => {
    folded += 1;
    return transition.apply(runMachine, asked);
  };
  try {
    new Verifier(history, folder).work(() => false);
    assert.ok(folded >= 5_000);
    // Far apart, so that none is near one that was just shown; and then step by step.
    const far = Array.from({ length: 40 }, (_, index) => ((index * 37) % 41) * 122 + 100);
    for (const position of far) {
      folded = 0;
      assert.ok(typeof folder.stepAt(items[position] as RecordItem) !== 'string');
      assert.ok(folded <= CHECKPOINT_EVERY, `${folded} folds at ${position}`);
    }
    for (let position = 4_400; position > 4_300; position -= 1) {
      folded = 0;
      folder.stepAt(items[position] as RecordItem);
      assert.ok(folded <= (position === 4_400 ? CHECKPOINT_EVERY : 1), `${folded} a step back`);
    }
  } finally {
    runMachine.transition = transition;
  }
});
