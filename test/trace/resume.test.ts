import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent, RunInput } from '../../machines/events.ts';
import { advance, start } from '../../machines/fold.ts';
import type { Line } from '../../machines/lines.ts';
import { formatLine } from '../../src/trace/format.ts';
import { replayLog } from '../../src/trace/replay.ts';
import { INPUT } from '../machines/input.ts';

const STATUS = { rebootRequired: false, detail: '0001-01-01 00:00:00 +0000 UTC  ' };
const free = { value: '', resourceVersion: '1' };
const own = { value: INPUT.node, resourceVersion: '2' };
const LOCKED: RunEvent[] = [
  { type: 'lock.read', lock: free },
  { type: 'lock.updated', lock: own },
];
const FINISHED: RunEvent = { type: 'upgrade.finished', status: STATUS };
const FAILED: RunEvent = { type: 'upgrade.failed', status: STATUS, message: 'no\ndisk' };
const REPORTED: RunEvent = { type: 'node.reported' };
const READ_OWN: RunEvent = { type: 'lock.read', lock: own };
const RELEASED: RunEvent[] = [READ_OWN, { type: 'lock.updated', lock: free }];
const NATIVE = { ...INPUT, namespace: '', daemonSet: '' };

/** Where the first process dies, and what the next one lives through. */
const CASES: [string, RunInput, RunEvent[], RunEvent[]][] = [
  ['while acquiring', INPUT, [], [...LOCKED, FINISHED, REPORTED, ...RELEASED]],
  ['while upgrading', INPUT, LOCKED, [READ_OWN, FINISHED, REPORTED, ...RELEASED]],
  ['while reporting', INPUT, [...LOCKED, FINISHED], [REPORTED, ...RELEASED]],
  ['while reporting a failure', INPUT, [...LOCKED, FAILED], [REPORTED, ...RELEASED]],
  ['while releasing', INPUT, [...LOCKED, FINISHED, REPORTED], RELEASED],
  ['while releasing after a failure', INPUT, [...LOCKED, FAILED, REPORTED], RELEASED],
  ['native, while upgrading', NATIVE, [], [FINISHED, REPORTED]],
  ['native, while upgrading what fails', NATIVE, [], [FAILED, REPORTED]],
  [
    'told to stop while upgrading',
    INPUT,
    [...LOCKED, { type: 'stop.requested' }],
    [READ_OWN, FINISHED, REPORTED, ...RELEASED],
  ],
];

/** The text logs of both processes. */
function logs(input: RunInput, before: RunEvent[], after: RunEvent[]) {
  const text = (lines: Line[]) =>
    lines.map((line) => `2026/12/01 04:00:00 ${formatLine(line, input)}\n`).join('');
  let { snapshot, lines } = start(input);
  const all = (events: RunEvent[]) =>
    events.flatMap((event) => {
      const next = advance(snapshot, event);
      assert.ok(next, event.type);
      snapshot = next.snapshot;
      return next.lines;
    });
  lines = [...lines, ...all(before)];
  if (snapshot.value !== 'interrupted') all([{ type: 'run.interrupted' }]);
  const head = '2026/12/01 04:00:00 host-upgrades version 0.1.0 (Node v24.22.3)\n';
  const first = head + text(lines);
  const resumed: RunEvent = { type: 'run.resumed', deadlineInMs: null };
  return { first, second: head + text(all([resumed, ...after])), end: snapshot.value };
}

for (const [name, input, before, after] of CASES) {
  const { first, second, end } = logs(input, before, after);
  for (const [what, text] of [
    ['', first + second],
    [', seen from the restart on', second],
  ]) {
    test(`a process that dies ${name} and a next one that goes on is legal${what}`, () => {
      const { divergence, records, runs } = replayLog(text ?? '');
      assert.equal(divergence, null, JSON.stringify(divergence));
      assert.deepEqual([records.at(-1)?.to, runs], [end, 1]);
      const lines = records.flatMap((record) => record.lines);
      assert.equal(lines.map((line) => `${line}\n`).join(''), text);
    });
  }
}

test('a run that had ended cannot go on', () => {
  const { first, second } = logs(INPUT, [...LOCKED, FINISHED, REPORTED], RELEASED);
  const [resuming = ''] = second.split('\n').slice(1);
  assert.ok(replayLog(`${first}${second}${resuming}\n`).divergence);
});
