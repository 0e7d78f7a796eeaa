import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type JournalRecord, parseJournal } from '../../src/journal/record.ts';
import { recorded } from '../rehearsal/recorded.ts';
import { agentAutomaton, conform, conformLock } from './conform.ts';

const automaton = agentAutomaton();
const HISTORIES = join(import.meta.dirname, '../histories');

const history = (name: string): JournalRecord[] =>
  parseJournal(readFileSync(join(HISTORIES, name))).records;

for (const name of globSync('*.ndjson', { cwd: HISTORIES }).sort()) {
  test(`${name} is a history of the model`, () => {
    assert.ok(history(name).length > 2);
    assert.equal(conform(history(name), automaton), null);
  });

  test(`${name} is none with a state altered`, () => {
    for (const [index, record] of history(name).entries()) {
      const altered = history(name).with(index, { ...record, state: 'acquiring.elsewhere' });
      assert.equal(conform(altered, automaton)?.record, index + 1);
    }
  });
}

test('a lock that another node holds is not taken for this one', () => {
  const records = history('once.ndjson');
  const altered = records.map((record): JournalRecord => {
    if (!('event' in record) || record.event.type !== 'lock.updated') return record;
    const lock = { ...record.event.lock, value: 'somebody' };
    return { ...record, event: { type: 'lock.updated', lock } };
  });
  assert.deepEqual(conform(altered, automaton), {
    record: 3,
    why: 'no step of the model: acquiring.update lock.updated:others -> locked.upgrading',
  });
});

test('a step that the model has no label for is refused', () => {
  const steps = automaton.steps.filter(({ event }) => event !== 'upgrade.finished');
  assert.match(conform(history('once.ndjson'), { ...automaton, steps })?.why ?? '', /upgrade/);
});

test('a lock that goes from node to node without having been free is refused', () => {
  const [read, updated] = history('once.ndjson').filter(
    (record) => 'event' in record && 'lock' in record.event,
  );
  assert.ok(read && updated);
  const lock = { value: 'somebody', resourceVersion: '200' };
  const taken: JournalRecord = { ...read, event: { type: 'lock.read', lock } };
  assert.equal(conformLock([[read, updated]]), '');
  assert.equal(conformLock([[updated], [taken]]), 'version 201 is once, taken from somebody');
});

const ROLLOUTS = [
  { faults: ['conflict', 'api-errors'] },
  { faults: ['lost-answer'] },
  { faults: ['watch-drop', 'watch-gone'] },
  { faults: ['api-down', 'slow-api'] },
  { faults: ['kill', 'restart'] },
  { faults: ['short-window'] },
  { faults: ['reboot-fails', 'pdb'], reboot: true, drain: true },
  { faults: ['api-down-drain', 'kill'], reboot: true, drain: true },
] as const;

for (const { faults, ...rest } of ROLLOUTS) {
  test(`rollouts with ${faults.join(' and ')} are histories of the model`, async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { records } = await recorded({ nodes: 4, seed, faults: [...faults], ...rest });
      const nodes = Map.groupBy(records, ({ node }) => node);
      assert.equal(nodes.size, 4);
      const journals = [...nodes.values()].map((node) => node.map(({ record }) => record));
      for (const journal of journals) assert.equal(conform(journal, automaton), null);
      assert.equal(conformLock(journals), '');
    }
  });
}
