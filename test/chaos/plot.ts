import { plotSvg as draw, type Panel, ticks } from '../plot/svg.ts';
import type { Sample } from './sample.ts';

const MEASURES: { title: string; of(sample: Sample): number }[] = [
  { title: 'Resident memory, MB', of: (sample) => sample.residentMb },
  { title: 'Open file descriptors', of: (sample) => sample.files },
  { title: 'Open sockets', of: (sample) => sample.sockets },
  { title: 'CPU time since the start, s', of: (sample) => sample.cpuS },
];

/** The samples over time, a panel for each measure, all from 0 on: as an SVG, light and dark. */
export function plotSvg(samples: readonly Sample[]): string {
  const lastMin = Math.max(1, (samples.at(-1)?.atMs ?? 0) / 60_000);
  const panels = MEASURES.map(({ title, of }): Panel => {
    const points = samples.map((sample) => ({
      at: sample.atMs / 60_000 / lastMin,
      value: of(sample),
    }));
    return { title, lines: [{ points }] };
  });
  const shown = ticks(lastMin).filter((min) => min <= lastMin);
  return draw({
    label: `An agent with a tick every 10 s: memory, descriptors, sockets and CPU time over ${Math.round(lastMin)} minutes`,
    panels,
    marks: shown.map((min) => ({ at: min / lastMin, text: `${min}` })),
    axis: 'minutes since the start of the agent, which has a run every 10 s',
  });
}
