import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replayLog } from '../../src/trace/replay.ts';
import { walk } from './walk.ts';

test('whatever a run has done, its log is legal and comes back byte for byte: 1,500 random runs', () => {
  const ends = new Map<string, number>();
  for (let seed = 1; seed <= 1_500; seed += 1) {
    const log = walk(seed);
    const { divergence, records } = replayLog(log);
    assert.equal(divergence, null, `seed ${seed}: ${JSON.stringify(divergence)}\n${log}`);
    const rows = records.flatMap(({ lines }) => lines.map((line) => `${line}\n`)).join('');
    assert.equal(rows, log, `seed ${seed}`);
    const end = records.at(-1)?.to ?? '';
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  // The walks get somewhere: each way to end is among them.
  for (const end of ['done', 'failed']) assert.ok((ends.get(end) ?? 0) > 100, end);
});
