import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bold, isColoured, paint } from '../../src/rehearsal/colour.ts';
import type { NodeOutcome } from '../../src/rehearsal/outcome.ts';
import { table, totals } from '../../src/rehearsal/table.ts';

const NODE: NodeOutcome = {
  node: 'node-1',
  order: 1,
  waitedMs: 35,
  heldMs: 1_480,
  requests: 7,
  conflicts: 1,
  state: 'done',
  error: null,
  rebootRequired: false,
  isRebooted: false,
};
const NODES: NodeOutcome[] = [
  NODE,
  { ...NODE, node: 'node-10', order: 2, waitedMs: 12_345, rebootRequired: true },
  { ...NODE, order: null, heldMs: 0, state: 'failed', error: `${'Failed '.repeat(12)}\nmore` },
];

test('numbers are aligned right, words left, and no line is wider than 80', () => {
  const text = table(NODES);
  assert.equal(
    text,
    `order  node      waited    held  requests  conflicts  result
    1  node-1    0.04 s  1.48 s         7          1  done
    2  node-10  12.35 s  1.48 s         7          1  done, reboot required
    -  node-1    0.04 s       -         7          1  failed: Failed Failed F...
`,
  );
  for (const line of text.split('\n')) assert.ok(line.length <= 80, line);
});

test('the totals in one line, with the median of the hand-offs', () => {
  const outcome = { nodes: NODES, handOffsMs: [30, 10, 20], violations: [], durationMs: 6_400 };
  assert.equal(
    totals(outcome),
    '3 nodes in 6.40 s: 3 hand-offs (median 20 ms), 3 conflicts, 21 requests (7.0 a node)\n',
  );
  const alone = { ...outcome, nodes: [NODE], handOffsMs: [] };
  assert.equal(
    totals(alone),
    '1 node in 6.40 s: 0 hand-offs, 1 conflict, 7 requests (7.0 a node)\n',
  );
});

test('colour only on a terminal that can, and never against NO_COLOR', () => {
  assert.equal(isColoured(true, {}), true);
  assert.equal(isColoured(true, { NO_COLOR: '' }), true);
  assert.equal(isColoured(true, { NO_COLOR: '1' }), false);
  assert.equal(isColoured(true, { TERM: 'dumb' }), false);
  assert.equal(isColoured(false, {}), false);
});

test('each number has a colour, and they begin again', () => {
  assert.equal(paint('x', 0), '\u001b[36mx\u001b[0m');
  assert.notEqual(paint('x', 1), paint('x', 0));
  assert.equal(paint('x', 12), paint('x', 0));
  assert.equal(bold('x'), '\u001b[1mx\u001b[0m');
});
