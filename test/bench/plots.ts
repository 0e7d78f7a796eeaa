import { type Line, type Plot, plotSvg } from '../plot/svg.ts';
import { type Figures, GO_ROLLOUT, type Range } from './peers.ts';

/** The names of the files and what is in them: figures over the size of the fleet. */
export function plotsOf(figures: Figures, sizes: readonly number[]): Record<string, string> {
  const draw = (label: string, panels: Plot['panels']) => {
    const marks = sizes.map((nodes) => ({ at: toAt(sizes, nodes), text: count(nodes) }));
    const axis = 'nodes of the fleet, all at one lock';
    return plotSvg({ label: `${label}, of ${range(sizes)} nodes`, panels, marks, axis });
  };
  const panel = (title: string, name: string, scale?: (nodes: number) => number) => ({
    title,
    lines: linesOf(name, figures, sizes, scale),
  });
  return {
    'requests.svg': draw('Requests a node in a whole rollout', [
      panel('Requests a node in a whole rollout', 'requests a node'),
    ]),
    'hand-off.svg': draw('From one node’s release to the next one’s lock', [
      panel('From one node’s release to the next one’s lock, median, ms', 'hand-off p50, ms'),
      panel('95th percentile, ms', 'hand-off p95, ms'),
    ]),
    'rollout.svg': draw('Whole rollouts: time and CPU time of the API server a node', [
      panel('Whole rollout, ms a node', 'whole rollout, s', (nodes) => 1_000 / nodes),
      panel('CPU time of the API server, ms a node', 'API server, CPU s', (nodes) => 1_000 / nodes),
    ]),
  };
}

/** This program's and, where it was measured, the Go program's. */
function linesOf(
  name: string,
  figures: Figures,
  sizes: readonly number[],
  scale: (nodes: number) => number = () => 1,
): Line[] {
  const points = (row: Record<number, Range> = {}) =>
    sizes.flatMap((nodes) => {
      const measured = row[nodes];
      if (measured === undefined) return [];
      const [least, most] = [measured[0] * scale(nodes), measured[1] * scale(nodes)];
      return [{ at: toAt(sizes, nodes), value: (least + most) / 2, least, most }];
    });
  const lines: Line[] = [
    { name: 'Go program', isOther: true, hasDots: true, points: points(GO_ROLLOUT[name]) },
    { name: 'host-upgrades', hasDots: true, points: points(figures[name]) },
  ];
  return lines.filter((line) => line.points.length > 0);
}

/** The axis is logarithmic: fleets are ten times as large, not ten nodes larger. */
function toAt(sizes: readonly number[], nodes: number): number {
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  return 0.02 + (0.95 * Math.log(nodes / least)) / Math.log(most / least);
}

const count = (nodes: number) => nodes.toLocaleString('en');
const range = (sizes: readonly number[]) =>
  `${count(Math.min(...sizes))} to ${count(Math.max(...sizes))}`;
