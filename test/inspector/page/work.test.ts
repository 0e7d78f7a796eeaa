import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLayout } from '../../../src/diagram/layout.ts';
import { machineModel } from '../../../src/diagram/model.ts';
import { Session } from '../../../src/inspector/page/session.ts';
import { SLICE_RECORDS_MAX, startWork } from '../../../src/inspector/page/work.ts';
import { poll } from '../../cluster/cluster.ts';
import { manyRows } from './rows.ts';

const COUNT = 3_000;

test('a history is verified in slices, none of more records than it may have', async () => {
  const session = new Session({ ...machineModel(), layout: readLayout() });
  session.append(manyRows(COUNT));
  const { verifier } = session;
  const work = verifier.work.bind(verifier);
  const slices: number[] = [];
  verifier.work = (...asked) => {
    const before = verifier.verified;
    const isMore = work(...asked);
    slices.push(verifier.verified - before);
    return isMore;
  };
  const stop = startWork(session);
  await poll(async () => verifier.verified === COUNT, 60_000);
  stop();
  assert.ok(slices.length >= COUNT / SLICE_RECORDS_MAX);
  assert.ok(Math.max(...slices) <= SLICE_RECORDS_MAX, `${Math.max(...slices)} records in a slice`);
});

test('while many rows come none are verified: only once no more have come for a while', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const session = new Session({ ...machineModel(), layout: readLayout() });
  const stop = startWork(session);
  const rows = manyRows(COUNT);
  // What is set within a tick counts from its end.
  const pass = (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10) t.mock.timers.tick(10);
  };
  for (let at = 0; at < COUNT; at += 500) {
    session.append(rows.slice(at, at + 500));
    pass(150);
    assert.deepEqual([session.isInBulk, session.verifier.verified], [true, 0]);
  }
  pass(1_000);
  assert.equal(session.isInBulk, false);
  assert.ok(session.verifier.verified > 0);
  stop();
});
