import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresOf, figuresTable } from './figures.ts';
import { plotsOf } from './plots.ts';
import type { Rollout } from './rollout.ts';

const SIZES = [10, 100, 1_000];

const run = (nodes: number, requestsANode: number): Rollout => ({
  nodes,
  requestsANode,
  requests: {},
  conflicts: nodes,
  changes: nodes * nodes,
  seconds: nodes / 10,
  serverCpuS: nodes / 20,
  order: [],
  overlaps: 0,
  handOffsMs: [20, 30, 90],
  workers: [
    { cpuS: 1, peakMb: 200 },
    { cpuS: 2, peakMb: 210 },
  ],
});
const figures = figuresOf([run(10, 6.5), run(10, 6.25), run(10, 7), run(100, 6.8), run(1_000, 7)]);

test('the least and the most of all runs of a size stand beside the Go program’s', () => {
  const lines = figuresTable(figures, SIZES).split('\n');
  const row = (name: string) => lines.findIndex((line) => line.startsWith(`${name} `));
  const cells = (index: number) => lines[index]?.trim().split(/ {2,}/).slice(1);
  assert.deepEqual(cells(row('requests a node')), ['6.3–7.0', '6.8', '7.0']);
  assert.deepEqual(cells(row('requests a node') + 1), ['17–20', '151–152']);
  assert.deepEqual(cells(row('hand-off p50, ms')), ['30', '30', '30']);
  assert.deepEqual(cells(row('changes seen by a node')), ['10', '100', '1000']);
  assert.deepEqual(cells(row('  resident, peak MB, in all')), ['410', '410', '410']);
});

test('each plot has a line for this program, and one for the other as far as it was measured', () => {
  const plots = plotsOf(figures, SIZES);
  assert.deepEqual(Object.keys(plots), ['requests.svg', 'hand-off.svg', 'rollout.svg']);
  const points = Object.values(plots).map((svg) =>
    [...svg.matchAll(/points="([^"]+)"/g)].map((match) => match[1]?.split(' ').length),
  );
  // Of the sizes here the Go program was measured at 10, 100 and two more that are not shown.
  assert.deepEqual(points, [
    [2, 3],
    [2, 3, 2, 3],
    [2, 3, 3],
  ]);
  for (const svg of Object.values(plots)) assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
});
