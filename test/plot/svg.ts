const WIDTH_PX = 720;
const PANEL_PX = 150;
const LEFT_PX = 56;
const RIGHT_PX = 16;
const TOP_PX = 40;
const GAP_PX = 34;
const BOTTOM_PX = 40;

/** Panels below each other with one horizontal axis; vertical axes all begin at 0. */
export interface Plot {
  /** All of it in a sentence, for who does not see it. */
  label: string;
  panels: readonly Panel[];
  /** Where on the horizontal axis, from 0 to 1, stands what. */
  marks: readonly { at: number; text: string }[];
  /** What the horizontal axis is. */
  axis: string;
}

export interface Panel {
  title: string;
  lines: readonly Line[];
}

export interface Line {
  /** Says at its last point whose it is, where there is more than one. */
  name?: string;
  /** In the second colour, and dashed. */
  isOther?: boolean;
  /** Each point is seen, with its range. */
  hasDots?: boolean;
  points: readonly Point[];
}

export interface Point {
  /** From 0 to 1. */
  at: number;
  value: number;
  /** The range of several measurements. */
  least?: number;
  most?: number;
}

const STYLE = `
  svg { background: #ffffff; color: #1f2328; font: 12px system-ui, sans-serif; }
  text { fill: currentColor; }
  .title { font-weight: 600; }
  .name { stroke: #ffffff; stroke-width: 4; paint-order: stroke; }
  .grid { stroke: #d0d7de; }
  .line { stroke: #0969da; fill: none; stroke-width: 1.5; }
  .other { stroke: #bc4c00; stroke-dasharray: 5 3; }
  .range { stroke-dasharray: none; }
  .dot { fill: #0969da; }
  .dot.other { fill: #bc4c00; stroke: none; }
  @media (prefers-color-scheme: dark) {
    svg { background: #0d1117; color: #e6edf3; }
    .name { stroke: #0d1117; }
    .grid { stroke: #30363d; }
    .line { stroke: #58a6ff; }
    .other { stroke: #f0883e; }
    .dot { fill: #58a6ff; }
    .dot.other { fill: #f0883e; }
  }`;

const toX = (at: number) => LEFT_PX + at * (WIDTH_PX - LEFT_PX - RIGHT_PX);

/** An SVG, light and dark as the reader's screen is. */
export function plotSvg({ label, panels, marks, axis }: Plot): string {
  const heightPx = TOP_PX + panels.length * (PANEL_PX + GAP_PX) - GAP_PX + BOTTOM_PX;
  const drawn = panels.map((panel, index) => panelSvg(panel, TOP_PX + index * (PANEL_PX + GAP_PX)));
  const bottomPx = heightPx - BOTTOM_PX;
  const texts = marks.map(
    ({ at, text }) =>
      `<text x="${px(toX(at))}" y="${bottomPx + 16}" text-anchor="middle">${text}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH_PX} ${heightPx}" role="img" aria-label="${label}">
<style>${STYLE}
</style>
${drawn.join('\n')}
${texts.join('\n')}
<text x="${WIDTH_PX - RIGHT_PX}" y="${bottomPx + 32}" text-anchor="end">${axis}</text>
</svg>
`;
}

function panelSvg({ title, lines }: Panel, topPx: number): string {
  const values = lines.flatMap(({ points }) => points.map(({ value, most }) => most ?? value));
  const marks = ticks(Math.max(1, ...values) * 1.1);
  const most = marks.at(-1) ?? 1;
  const toY = (value: number) => topPx + PANEL_PX - (value / most) * PANEL_PX;
  const grid = marks.map((mark) => {
    const y = px(toY(mark));
    return `<line class="grid" x1="${LEFT_PX}" x2="${WIDTH_PX - RIGHT_PX}" y1="${y}" y2="${y}"/><text x="${LEFT_PX - 8}" y="${px(toY(mark) + 4)}" text-anchor="end">${mark}</text>`;
  });
  return [
    `<text class="title" x="${LEFT_PX}" y="${topPx - 10}">${title}</text>`,
    ...grid,
    ...lines.map((line) => lineSvg(line, toY)),
  ].join('\n');
}

function lineSvg({ name, isOther, hasDots, points }: Line, toY: (value: number) => number): string {
  const other = isOther ? ' other' : '';
  const path = points.map(({ at, value }) => `${px(toX(at))},${px(toY(value))}`).join(' ');
  const dots = points.map(({ at, value, least = value, most = value }) => {
    const x = px(toX(at));
    const range = `<line class="line range${other}" x1="${x}" x2="${x}" y1="${px(toY(least))}" y2="${px(toY(most))}"/>`;
    return `${range}<circle class="dot${other}" cx="${x}" cy="${px(toY(value))}" r="3"/>`;
  });
  const last = points.at(-1);
  return [
    `<polyline class="line${other}" points="${path}"/>`,
    ...(hasDots ? dots : []),
    ...(name && last ? [nameSvg(name, last, toY)] : []),
  ].join('\n');
}

/** Beside the last point where there is room, else above it. */
function nameSvg(name: string, { at, value }: Point, toY: (value: number) => number): string {
  const [x, y] = [toX(at), toY(value)];
  return at < 0.8
    ? `<text class="name" x="${px(x + 10)}" y="${px(y + 4)}">${name}</text>`
    : `<text class="name" x="${px(x)}" y="${px(y - 10)}" text-anchor="end">${name}</text>`;
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
