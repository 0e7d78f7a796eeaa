import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { simulate } from './fleet.ts';
import { drawPlan, type Plan } from './plan.ts';
import { simulating } from './simulating.ts';
import { TRANSITIONS } from './transitions.ts';

const SEEDS = process.env.CI === 'true' ? 10_000 : 500;

test(`${SEEDS} seeds, and each fault in each state: no invariant is violated, and nothing is left out`, async () => {
  const { code, out } = await simulating(['--seeds', `1..${SEEDS}`, '--directed', '--jobs', '2']);
  assert.equal(code, 0, out);
  assert.match(out, new RegExp(`^${SEEDS} seeds and \\d+ directed plans, 0 violated; `, 'm'));
});

const PLANS = new URL('plans/', import.meta.url);
for (const name of readdirSync(PLANS)) {
  test(`once violated, and no more: ${name}`, async () => {
    const plan = JSON.parse(readFileSync(new URL(name, PLANS), 'utf8')) as Plan;
    assert.deepEqual((await simulate(plan)).violations, []);
  });
}

test('the same seed is the same history, to the last line', async () => {
  for (const seed of [3, 51, 97]) {
    const [one, other] = [
      await simulate(drawPlan(seed), { isTold: true }),
      await simulate(drawPlan(seed), { isTold: true }),
    ];
    assert.ok(one.history.length > 100);
    assert.deepEqual(other.history, one.history);
  }
});

test('a fleet of 5,000 nodes: most end with the deadline, none with the lock or another invariant broken', async () => {
  const { code, out } = await simulating(['--seeds', '1..1', '--nodes', '5000', '--minutes', '3']);
  assert.equal(code, 0, out);
  assert.match(out, /^1 seeds, 0 violated; 5000 node-runs /m);
});

test('what is told changes nothing', async () => {
  const told = await simulate(drawPlan(12), { isTold: true });
  const { runs, virtualMs, requests } = await simulate(drawPlan(12));
  assert.deepEqual([told.runs, told.virtualMs, told.requests], [runs, virtualMs, requests]);
});

test('what was not reached is listed', async () => {
  const { code, out } = await simulating(['--seeds', '1..3', '--coverage', '--aimed']);
  assert.equal(code, 0);
  const [, transitions, pairs] =
    /^(\d+) of \d+ transitions taken; (\d+) of \d+ pairs of a fault and a state$/m.exec(out) ?? [];
  const missed = out.split('\n').filter((line) => line.startsWith('  ') && line.includes(' -> '));
  assert.equal(Number(transitions) + missed.length, TRANSITIONS.length);
  assert.ok(Number(transitions) > 40 && Number(pairs) > 5, out);
  assert.match(out, /^ {2}kill: .*locked\.rebooting\.marking/m);
});

const BAD: [string[], RegExp][] = [
  [['--seeds', 'all'], /^simulate: --seeds=all: give a range such as 1\.\.1000\n$/],
  [['--seeds', '9..3'], /^simulate: --seeds=9\.\.3: the last is below the first\n$/],
  [['--nodes', '0'], /^simulate: --nodes=0: give a number from 1 to 5000\n$/],
  [['--minutes', 'x'], /^simulate: --minutes=x: give a number from 1 to 600\n$/],
  [['--plan', '/nowhere'], /^simulate: --plan=\/nowhere: ENOENT/],
  [['--frobnicate'], /^simulate: Unknown option '--frobnicate'.*; see --help\n$/],
];
for (const [args, expected] of BAD) {
  test(`simulate ${args.join(' ')} is one line and exit 2`, async () => {
    const { code, out, err } = await simulating(args);
    assert.equal(code, 2);
    assert.equal(out, '');
    assert.match(err, expected);
  });
}
