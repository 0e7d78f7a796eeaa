import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineModel } from '../../../src/diagram/model.ts';
import { differences } from '../../../src/inspector/page/differences.ts';
import { EVERYTHING, passing } from '../../../src/inspector/page/filter.ts';
import { Folder } from '../../../src/inspector/page/folder.ts';
import { History, isRecordItem, type RecordItem } from '../../../src/inspector/page/history.ts';
import { possibilities } from '../../../src/inspector/page/possible.ts';
import { Recent } from '../../../src/inspector/page/recent.ts';
import { spentUpTo } from '../../../src/inspector/page/spent.ts';
import { taken } from '../../../src/inspector/page/taken.ts';
import { distance, duration } from '../../../src/inspector/page/words.ts';
import { HISTORIES, rowsOf } from './rows.ts';

function itemsOf(name: string): { history: History; items: RecordItem[] } {
  const history = new History();
  history.append(rowsOf(name));
  return { history, items: history.items.filter(isRecordItem) };
}

function foldOf(item: RecordItem) {
  const step = new Folder().stepAt(item);
  assert.ok(typeof step !== 'string', String(step));
  return step.fold;
}

/** The first item that led to `state`. */
function reaching(items: RecordItem[], state: string): RecordItem {
  const found = items.find(({ row }) => row.record.state === state);
  assert.ok(found, state);
  return found;
}

test('a read lock leads to the watch or to the update, by what it carries', () => {
  const { items } = itemsOf('drain-expired.ndjson');
  const fold = foldOf(reaching(items, 'acquiring.get'));
  const read = possibilities(fold, null).find(({ type }) => type === 'lock.read');
  assert.deepEqual(read?.candidates, [
    { target: 'acquiring.watch', guard: 'isOthers', verdict: 'depends', outcome: 'maybe' },
    { target: 'acquiring.update', guard: '', verdict: 'holds', outcome: 'maybe' },
  ]);
  const lock = { value: 'node-9', resourceVersion: '1' };
  const known = possibilities(fold, { type: 'lock.read', lock }).find(
    ({ type }) => type === 'lock.read',
  );
  assert.deepEqual(
    known?.candidates.map(({ outcome }) => outcome),
    ['taken', 'not'],
  );
});

test('what an inner state takes does not reach those around it', () => {
  const { items } = itemsOf('drain-expired.ndjson');
  const fold = foldOf(reaching(items, 'acquiring.update'));
  const deadlines = possibilities(fold, null).filter(({ type }) => type === 'deadline.reached');
  assert.deepEqual(
    deadlines.map(({ owner, candidates }) => [owner, candidates.map(({ outcome }) => outcome)]),
    [
      ['acquiring.update', ['taken']],
      ['acquiring', ['not', 'not']],
    ],
  );
});

test('guards that only ask the context are answered, and/not included', () => {
  const { items } = itemsOf('drain-expired.ndjson');
  const fold = foldOf(reaching(items, 'locked.reporting'));
  const reported = possibilities(fold, null).find(({ type }) => type === 'node.reported');
  const byGuard = Object.fromEntries(
    (reported?.candidates ?? []).map(({ guard, verdict, outcome }) => [guard, [verdict, outcome]]),
  );
  assert.deepEqual(byGuard['not rebootRequired'], ['fails', 'not']);
  assert.deepEqual(byGuard.mustDrain, ['holds', 'taken']);
  assert.deepEqual(byGuard[''], ['holds', 'not']);
});

test('the deadline and a wait say when they are due', () => {
  const { items } = itemsOf('drain-expired.ndjson');
  const item = reaching(items, 'acquiring.spread');
  const fold = foldOf(item);
  const due = (type: string) => possibilities(fold, null).find((one) => one.type === type)?.due;
  assert.equal(due('deadline.reached')?.atMs, fold.deadlineMs);
  assert.equal(due('spread.elapsed')?.atMs, item.atMs + fold.snapshot.context.waitMs);
  assert.equal(due('stop.requested'), null);
});

test('a drain says when it expires', () => {
  const { items } = itemsOf('drain-expired.ndjson');
  const began = reaching(items, 'locked.draining.confirming');
  const fold = foldOf(reaching(items, 'locked.draining.evicting'));
  const expired = possibilities(fold, null).find(({ type }) => type === 'drain.expired');
  const { disruption } = fold.snapshot.context;
  assert.equal(expired?.due?.atMs, began.atMs + (disruption?.drainTimeoutMs ?? 0));
});

test('nothing is possible in a run that has ended', () => {
  const { items } = itemsOf('once.ndjson');
  assert.deepEqual(possibilities(foldOf(items.at(-1) as RecordItem), null), []);
});

for (const name of HISTORIES) {
  test(`what came next in ${name} was possible, and its arrow is drawn`, () => {
    const { items } = itemsOf(name);
    const model = machineModel();
    for (const [index, item] of items.entries()) {
      const next = items[index + 1];
      if (!next || !('event' in next.row.record)) continue;
      const { event, state } = next.row.record;
      const possible = possibilities(foldOf(item), event).filter(({ type }) => type === event.type);
      const outcomes = possible.flatMap(({ candidates }) => candidates.map((one) => one.outcome));
      assert.ok(outcomes.includes('taken'), `${event.type} in ${item.row.record.state}`);
      const before = item.row.record.state;
      if (before === state || event.type === 'run.interrupted' || state === 'interrupted') continue;
      const arrows = taken(model, before, event.type, state);
      assert.ok(arrows.length > 0, `${before} -> ${state} by ${event.type}`);
    }
  });
}

test('arrows behind the first are those taken at once', () => {
  const arrows = taken(machineModel(), 'locked.reporting', 'node.reported', 'releasing.get');
  assert.deepEqual(
    arrows.map(({ from, to }) => [from, to]),
    [
      ['locked.reporting', 'locked.leaving'],
      ['locked.leaving', 'releasing'],
    ],
  );
});

test('time in states adds up to the time of the run, also for those around others', () => {
  const { items } = itemsOf('drain-expired.ndjson');
  const [first, last] = [items[0] as RecordItem, items.at(-1) as RecordItem];
  const spent = spentUpTo(last);
  const top = [...spent].filter(([id]) => !id.includes('.'));
  assert.equal(
    top.reduce((sum, [, ms]) => sum + ms, 0),
    last.atMs - first.atMs,
  );
  assert.equal(spent.has('locked.draining.evicting'), true);
  assert.equal(spent.has('locked.rebooting'), false);
});

test('differences are deep, by path', () => {
  const before = { a: 1, b: { c: [1, 2], d: null }, gone: 'x' };
  const after = { a: 1, b: { c: [1, 3, 4], d: {} }, isNew: true };
  assert.deepEqual(
    differences(before, after).map(({ path, sign }) => `${sign}${path}`),
    ['a', 'b.c[0]', '~b.c[1]', '+b.c[2]', '~b.d', '+isNew', '-gone'],
  );
});

test('filters narrow by type, node and text', () => {
  const { history } = itemsOf('drain-expired.ndjson');
  const count = (filter: Partial<typeof EVERYTHING>, lines?: string[]) =>
    passing(history, { ...EVERYTHING, ...filter }, () => lines).length;
  assert.equal(count({}), 35);
  assert.equal(count({ type: 'pod.blocked' }), 1);
  assert.equal(count({ type: 'run begins' }), 1);
  assert.equal(count({ node: 'node-2' }), 35);
  assert.equal(count({ node: 'node-3' }), 0);
  assert.equal(count({ text: 'HU-REBOOT' }), 5);
  assert.equal(count({ text: 'locked.draining' }), 4);
  assert.equal(count({ text: 'only in a line' }, ['Only in a line']), 35);
});

test('the entries used last are kept', () => {
  const recent = new Recent<number, string>(2);
  recent.set(1, 'one');
  recent.set(2, 'two');
  recent.get(1);
  recent.set(3, 'three');
  assert.deepEqual(
    [recent.get(1), recent.get(2), recent.get(3), recent.size],
    ['one', undefined, 'three', 2],
  );
});

test('times are said in the units that people use', () => {
  const said = [14, 3_200, 192_000, 14_700_000, 183_600_000].map(duration);
  assert.deepEqual(said, ['14 ms', '3.2 s', '3 min 12 s', '4 h 5 min', '2 d 3 h']);
  assert.deepEqual([distance(3_200), distance(-14)], ['in 3.2 s', '14 ms ago']);
});
