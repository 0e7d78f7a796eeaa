import type { Sample } from './sample.ts';

const WIDTH_PX = 720;
const PANEL_PX = 150;
const LEFT_PX = 56;
const RIGHT_PX = 16;
const TOP_PX = 40;
const GAP_PX = 34;
const BOTTOM_PX = 40;

interface Panel {
  title: string;
  of(sample: Sample): number;
}

const PANELS: Panel[] = [
  { title: 'Resident memory, MB', of: (sample) => sample.residentMb },
  { title: 'Open file descriptors', of: (sample) => sample.files },
  { title: 'Open sockets', of: (sample) => sample.sockets },
  { title: 'CPU time since the start, s', of: (sample) => sample.cpuS },
];

const STYLE = `
  svg { background: #ffffff; color: #1f2328; font: 12px system-ui, sans-serif; }
  text { fill: currentColor; }
  .title { font-weight: 600; }
  .grid { stroke: #d0d7de; }
  .line { stroke: #0969da; fill: none; stroke-width: 1.5; }
  @media (prefers-color-scheme: dark) {
    svg { background: #0d1117; color: #e6edf3; }
    .grid { stroke: #30363d; }
    .line { stroke: #58a6ff; }
  }`;

/** The samples over time, a panel for each measure, all from 0 on: as an SVG, light and dark. */
export function plotSvg(samples: readonly Sample[]): string {
  const heightPx = TOP_PX + PANELS.length * (PANEL_PX + GAP_PX) - GAP_PX + BOTTOM_PX;
  const lastMin = Math.max(1, (samples.at(-1)?.atMs ?? 0) / 60_000);
  const toX = (min: number) => LEFT_PX + (min / lastMin) * (WIDTH_PX - LEFT_PX - RIGHT_PX);
  const panels = PANELS.map((panel, index) => {
    const topPx = TOP_PX + index * (PANEL_PX + GAP_PX);
    return panelSvg(panel, samples, topPx, toX);
  });
  const bottomPx = heightPx - BOTTOM_PX;
  const shown = ticks(lastMin).filter((min) => min <= lastMin);
  const minutes = shown.map(
    (min) => `<text x="${px(toX(min))}" y="${bottomPx + 16}" text-anchor="middle">${min}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH_PX} ${heightPx}" role="img" aria-label="An agent with a tick every 10 s: memory, descriptors, sockets and CPU time over ${Math.round(lastMin)} minutes">
<style>${STYLE}
</style>
${panels.join('\n')}
${minutes.join('\n')}
<text x="${WIDTH_PX - RIGHT_PX}" y="${bottomPx + 32}" text-anchor="end">minutes since the start of the agent, which has a run every 10 s</text>
</svg>
`;
}

function panelSvg(
  { title, of }: Panel,
  samples: readonly Sample[],
  topPx: number,
  toX: (min: number) => number,
): string {
  const marks = ticks(Math.max(1, ...samples.map(of)) * 1.1);
  const most = marks.at(-1) ?? 1;
  const toY = (value: number) => topPx + PANEL_PX - (value / most) * PANEL_PX;
  const grid = marks.map((mark) => {
    const y = px(toY(mark));
    return `<line class="grid" x1="${LEFT_PX}" x2="${WIDTH_PX - RIGHT_PX}" y1="${y}" y2="${y}"/><text x="${LEFT_PX - 8}" y="${px(toY(mark) + 4)}" text-anchor="end">${mark}</text>`;
  });
  const points = samples.map((sample) => `${px(toX(sample.atMs / 60_000))},${px(toY(of(sample)))}`);
  return [
    `<text class="title" x="${LEFT_PX}" y="${topPx - 10}">${title}</text>`,
    ...grid,
    `<polyline class="line" points="${points.join(' ')}"/>`,
  ].join('\n');
}

/** Round values from 0 to the first one at or above `most`, about four of them. */
export function ticks(most: number): number[] {
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough;
  const count = Math.ceil(most / step);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(6)));
}

function px(value: number): string {
  return value.toFixed(1);
}
