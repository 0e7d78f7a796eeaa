import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ticks } from '../plot/svg.ts';
import { plotSvg } from './plot.ts';
import type { Sample } from './sample.ts';
import { slopeOf, verdictOf } from './verdict.ts';

/** An hour of samples, one each 10 s, at work for 0.5 % of the time. */
const hour = (of: (index: number) => Partial<Sample>): Sample[] =>
  Array.from({ length: 360 }, (_, index) => {
    const atMs = index * 10_000;
    return { atMs, residentMb: 90, files: 25, sockets: 5, cpuS: atMs / 200_000, ...of(index) };
  });

test('jags and outliers are flat', () => {
  const samples = hour((index) => ({ residentMb: 90 + (index % 7) + (index === 200 ? 40 : 0) }));
  const { isFlat, text } = verdictOf(samples);
  assert.ok(isFlat, text);
  assert.match(text, /CPU: 0\.50 % of a core; flat$/);
});

test('memory that grows by 10 MB an hour, and a descriptor lost every ten minutes, are not', () => {
  const growing = verdictOf(hour((index) => ({ residentMb: 90 + index / 36 })));
  assert.deepEqual([growing.isFlat, /\+10\.00 MB an hour/.test(growing.text)], [false, true]);
  assert.equal(verdictOf(hour((index) => ({ files: 25 + Math.floor(index / 60) }))).isFlat, false);
  assert.equal(verdictOf(hour((index) => ({ sockets: 5 + Math.floor(index / 60) }))).isFlat, false);
});

test('the slope of a line is the line’s', () => {
  assert.equal(
    slopeOf([
      [0, 1],
      [1, 3],
      [2, 5],
    ]),
    2,
  );
});

test('an axis has round marks, from 0 to at least the most', () => {
  assert.deepEqual(ticks(60), [0, 20, 40, 60]);
  assert.deepEqual(ticks(0.9), [0, 0.5, 1]);
});

test('the plot has a line for each measure, and every sample in it', () => {
  const svg = plotSvg(hour(() => ({})));
  const lines = [...svg.matchAll(/points="([^"]+)"/g)].map((match) => match[1]?.split(' ').length);
  assert.deepEqual(lines, [360, 360, 360, 360]);
  assert.doesNotMatch(svg, /NaN|undefined/);
});
