import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { replayJournal } from '../../src/trace/replay-journal.ts';
import type { Plan } from './plan.ts';
import { simulating } from './simulating.ts';
import { VARIANTS } from './variants.ts';

const SEEDS_MAX = 2_000;
const folder = mkdtempSync(join(tmpdir(), 'variants-'));
after(() => rmSync(folder, { recursive: true }));

assert.ok(Object.keys(VARIANTS).length >= 15);

for (const [name, { violates }] of Object.entries(VARIANTS)) {
  test(`broken on purpose, and caught within ${SEEDS_MAX} seeds: ${name}`, async () => {
    const args = ['--seeds', `1..${SEEDS_MAX}`, '--jobs', '2', '--save', folder];
    const { code, out, err } = await simulating(args, name);
    assert.equal(code, 1, out + err);
    const found = /^seed (\d+) violates invariant (\d)/m.exec(out);
    assert.ok(found, out);
    assert.ok(violates.includes(Number(found[2])), `${out}\nnot one of ${violates}`);
  });
}

test('a failing seed is made small, and what it is can be run and looked at again', async () => {
  const variant = 'the precondition is dropped';
  const save = join(folder, 'shown');
  const { out } = await simulating(['--seeds', '1..50', '--save', save], variant);
  const path = /--plan (\S+)/.exec(out)?.[1] ?? '';
  const plan = JSON.parse(readFileSync(path, 'utf8')) as Plan;
  // Two nodes that tick at the same time are enough.
  assert.ok(plan.nodes.length <= 2 && plan.steps.length <= 1, JSON.stringify(plan, null, 1));
  assert.match(out, /inspect \S+\.ndjson/);
  const journals = readdirSync(save).filter((name) => name.endsWith('.ndjson'));
  assert.ok(journals.length > 0);
  for (const name of journals) {
    assert.equal(replayJournal(readFileSync(join(save, name), 'utf8')).divergence, null, name);
  }
  assert.equal((await simulating(['--plan', path, '--save', save], variant)).code, 1);
  const whole = await simulating(['--plan', path, '--save', save]);
  assert.equal(whole.code, 0, whole.out);
  assert.match(whole.out, /: nothing is violated; /);
  assert.ok(existsSync(path));
});
