import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runMachine } from '../../machines/run.ts';
import { inspect } from '../../src/cli/inspect.ts';
import { readEvents } from './reader.ts';
import { stubFolder } from './serving.ts';

const page = stubFolder();
const folder = mkdtempSync(join(tmpdir(), 'address-'));
after(() => {
  page.remove();
  rmSync(folder, { recursive: true });
});

/** Counts what the machine is asked for. */
let folded = 0;
const { transition, getInitialSnapshot } = runMachine;
runMachine.transition = (...asked) => {
  folded += 1;
  return transition.apply(runMachine, asked);
};
runMachine.getInitialSnapshot = (...asked) => {
  folded += 1;
  return getInitialSnapshot.apply(runMachine, asked);
};

/** Inspects a file to the end; how much was folded by the time of the address, and at the end. */
async function inspecting(file: string) {
  folded = 0;
  let atAddress = -1;
  let say = (_: string) => {};
  const address = new Promise<string>((resolve) => {
    say = resolve;
  });
  const out = {
    write(text: string) {
      atAddress = folded;
      say(/Inspector: (\S+)/.exec(text)?.[1] ?? '');
    },
  };
  const ended = inspect(['--listen=127.0.0.1:0', file], out, { write: assert.fail }, page.path);
  const reader = await readEvents(`${await address}events`);
  await reader.until(reader.isClosed);
  process.emit('SIGTERM');
  assert.equal(await ended, 0);
  return { atAddress, atEnd: folded, rows: reader.rows, events: reader.events };
}

const again = (file: string, times: number) => {
  const path = join(folder, `${times}-times`);
  writeFileSync(path, readFileSync(file, 'utf8').repeat(times));
  return path;
};

test('a journal is served without being folded: the page folds it', async () => {
  const { atAddress, atEnd, rows } = await inspecting(again('test/histories/rebooted.ndjson', 100));
  assert.deepEqual([atAddress, atEnd], [0, 0]);
  assert.ok(rows.length > 3_000);
});

test('where a classic log is shown is said once its first run has begun, not at its end', async () => {
  const { atAddress, atEnd, events } = await inspecting(
    again('test/traces/original/run/up-to-date.txt', 200),
  );
  assert.ok(atAddress < 50, `${atAddress} folds ahead of the address`);
  // A start and six steps for each run, each once.
  assert.equal(atEnd, 200 * 7);
  const types = new Set(events.map(({ type }) => type));
  assert.deepEqual([...types], ['progress', 'rows', 'end']);
});
