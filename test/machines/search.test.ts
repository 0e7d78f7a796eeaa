import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent } from '../../machines/events.ts';
import { advance } from '../../machines/fold.ts';
import { type Advance, search } from './search.ts';

test('no interleaving of 12 steps ends a run with the lock held, or upgrades without it', (t) => {
  const { worlds, violations } = search(12);
  t.diagnostic(`${worlds} worlds`);
  assert.deepEqual([...violations], []);
  assert.ok(worlds > 10_000);
});

/** The machine with a fault of its own, which the search has to find. */
const BROKEN: [string, Advance][] = [
  [
    'a lost answer is taken for a refusal',
    (snapshot, event) => {
      const lost: RunEvent = { type: 'api.failed', message: '', code: 403 };
      return advance(snapshot, event.type === 'api.failed' && !event.code ? lost : event);
    },
  ],
  [
    'a kill forgets the acquire that is out',
    (snapshot, event) => {
      const next = advance(snapshot, event);
      if (!next || event.type !== 'run.interrupted') return next;
      const context = { ...next.snapshot.context, lostUpdateVersion: null };
      return { ...next, snapshot: { ...next.snapshot, context } as typeof next.snapshot };
    },
  ],
  [
    'a conflict is taken for an acquired lock',
    (snapshot, event) => {
      const updated: RunEvent = {
        type: 'lock.updated',
        lock: { value: 'node-1', resourceVersion: '0' },
      };
      return advance(snapshot, event.type === 'lock.conflicted' ? updated : event);
    },
  ],
];
for (const [name, step] of BROKEN) {
  test(`the search finds that ${name}`, () => {
    assert.ok(search(10, step).violations.size > 0);
  });
}
