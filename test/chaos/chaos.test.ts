import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { missing } from '../cluster/build.ts';
import { requires } from '../requires.ts';

const CHAOS = fileURLToPath(new URL('chaos.ts', import.meta.url));
const SOAK = fileURLToPath(new URL('soak.ts', import.meta.url));
const [MINUTES, AGENTS] = process.env.CI === 'true' ? ['5', '20'] : ['1', '8'];

function run(path: string, args: string[], variant?: string) {
  const env = { ...process.env, ...(variant ? { CHAOS_VARIANT: variant } : {}) };
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], {
    encoding: 'utf8',
    env,
  });
  return { code: status, out: stdout, err: stderr };
}

const cluster = requires('a control plane', missing());

test(`${MINUTES} min of chaos break no invariant, and every agent gets its turn`, cluster, () => {
  const { code, out, err } = run(CHAOS, ['--minutes', MINUTES, '--agents', AGENTS, '--seed', '4']);
  assert.equal(code, 0, out + err);
  assert.match(out, /^0 invariants broken; \d+ revisions of etcd without a gap$/m);
});

test('an agent that lets go of the lock ahead of its uncordon is caught', cluster, () => {
  const variant = 'the lock is released ahead of the uncordon';
  const { code, out } = run(CHAOS, ['--minutes', '1', '--agents', '3', '--seed', '5'], variant);
  assert.equal(code, 1, out);
  assert.match(out, /^invariant [15] is broken .* let go of the lock and is cordoned$/m);
  assert.match(out, /^Again: npm run chaos -- --seed 5 --agents 3 --minutes 1$/m);
  // What it leaves is for a person to look at.
  const folder = /logs and journals in (\S+)/.exec(out)?.[1] ?? '';
  assert.ok(globSync(`${folder}/*/state*/journal*.ndjson`).length > 0);
  rmSync(folder, { recursive: true });
});

const BAD: [string, string[], RegExp][] = [
  [CHAOS, ['--minutes', '0'], /^chaos: --minutes=0: give a whole number from 1 to 1440\n$/],
  [CHAOS, ['--agents', 'x'], /^chaos: --agents=x: give a whole number from 2 to 100\n$/],
  [CHAOS, ['--frobnicate'], /^chaos: Unknown option '--frobnicate'.*; see --help\n$/],
  [SOAK, ['--minutes', '1.5'], /^soak: --minutes=1\.5: give a whole number from 1 to 1440\n$/],
];
for (const [path, args, expected] of BAD) {
  test(`${path.split('/').at(-1)} ${args.join(' ')} is one line and exit 2`, () => {
    const { code, out, err } = run(path, args);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, expected);
  });
}
