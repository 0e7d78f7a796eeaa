import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { requires } from '../requires.ts';
import { BROKEN, LIVENESS, SAFETY } from './configurations.ts';
import { optionLines } from './labels.ts';
import { type Checked, check, missing } from './spin.ts';

const spin = requires('the model', missing());
const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8');
/** Steps that no configuration can take, and why they are there. */
const NEVER: [RegExp, string][] = [
  [
    /at\(CONFLICT_WATCHING\) && .* lock == me/,
    'an acquire that conflicted has not been carried out',
  ],
  [/at\(O_RELEASING\) && lock != me/, "by hand: not beside the original's program"],
  [/mayFail && !at\(O_START\) -> fail\(\); originalStarts/, 'KILL_ORIGINAL, which is found wrong'],
];
const seen = new Map<string, Checked>();

for (const configuration of [...SAFETY, ...LIVENESS]) {
  test(`holds: ${configuration.name}`, spin, (context) => {
    const checked = check(configuration);
    context.diagnostic(
      `${checked.states} states, ${checked.seconds} s, ${Math.round(checked.memoryMb)} MB, depth ${checked.depth}`,
    );
    seen.set(configuration.name, checked);
    assert.equal(checked.violated, '');
    assert.ok(checked.states >= configuration.statesMin, `${checked.states} states`);
  });
}

test('without hands, power cuts and lost journals every other step is taken', spin, () => {
  const { unreached } = seen.get('three nodes, any number of faults') ?? assert.fail('not checked');
  assert.deepEqual(missed(unreached).filter(isPlain), []);
});

test('every step of the model is taken in some configuration', spin, () => {
  const all = SAFETY.map(({ name }) => seen.get(name)?.unreached ?? assert.fail(name));
  const never = (all[0] ?? []).filter((at) => all.every((unreached) => unreached.includes(at)));
  assert.deepEqual(missed(never), []);
});

test("the original's steps are all taken beside this program", spin, () => {
  const mixed = seen.get('two nodes beside one of the Go program') ?? assert.fail('not checked');
  assert.deepEqual(missed(mixed.unreached.filter((at) => at.startsWith('original'))), []);
});

for (const variant of BROKEN) {
  test(`found wrong: ${variant.name}`, spin, () => {
    assert.match(check(variant).violated, variant.finds);
  });
}

/** The text of an option, for people. */
function option(at: string): string {
  const [file = '', line] = at.split(':');
  const first = Number(line);
  const rows = read(file).split('\n');
  const next = optionLines(read(file)).find((one) => one > first) ?? rows.length;
  return rows.slice(first - 1, next - 1).join('\n');
}

/** The text of those that could have been taken. */
function missed(unreached: string[]): string[] {
  return unreached.map(option).filter((text) => !NEVER.some(([pattern]) => pattern.test(text)));
}

/** Whether it needs neither a hand that takes the lock, nor a lost journal or power cut. */
function isPlain(text: string): boolean {
  return !/loseLock|losePower|forget|START|RECOVER_RELEASE/.test(text);
}
