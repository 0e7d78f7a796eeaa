import { arrowPath, round } from './arrows.ts';
import type { Box, Layout } from './layout.ts';
import { labelOf } from './mermaid.ts';
import type { MachineModel, StateModel, TransitionModel } from './model.ts';

const MARGIN_PX = 8;

/** Colours for a light and a dark page; nothing is told by colour alone. */
const STYLE = `
  text { font: 11px ui-monospace, Menlo, Consolas, monospace; fill: #1b1f24; }
  .title { font-weight: 600; }
  .state { fill: #fff; stroke: #57606a; }
  .around { fill: #f3f5f8; stroke: #8c959f; }
  .effect { stroke-width: 2.5; }
  .final { stroke-dasharray: 4 2; }
  .arrow { fill: none; stroke: #8c959f; stroke-opacity: 0.75; }
  .aside { stroke-dasharray: 2 4; stroke-opacity: 0.45; }
  g:hover > .arrow { stroke: #0969da; stroke-width: 2.5; stroke-opacity: 1; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .state { fill: #161b22; stroke: #8b949e; }
    .around { fill: #0d1117; stroke: #6e7681; }
    .arrow { stroke: #6e7681; }
  }
`;

/**
 * The machine as a picture. States whose effects are written ahead have a thick border, those that
 * end a run a dashed one; what an arrow stands for shows when it is pointed at.
 */
export function svg({ states, transitions }: MachineModel, layout: Layout): string {
  const boxes = new Map(layout.boxes.map((box) => [box.id, box]));
  const byId = new Map(states.map((state) => [state.id, state]));
  const width = layout.width + 2 * MARGIN_PX;
  const height = layout.height + 2 * MARGIN_PX;
  const drawn = [
    ...layout.boxes.map((box) => drawBox(box, byId.get(box.id))),
    ...transitions.map((transition) => drawArrow(transition, boxes)),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-MARGIN_PX} ${-MARGIN_PX} ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="The run machine">
<style>${STYLE}</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#8c959f"/></marker></defs>
${drawn.join('\n')}
</svg>
`;
}

function drawBox({ x, y, width, height }: Box, state: StateModel | undefined): string {
  if (state === undefined) return '';
  const { id, key, kind, description, isEffect, actors } = state;
  const isAround = kind === 'compound';
  const classes = [
    isAround ? 'around' : 'state',
    ...(isEffect ? ['effect'] : []),
    ...(kind === 'final' ? ['final'] : []),
  ].join(' ');
  const about = [id, description, ...actors.map((actor) => `actor: ${actor}`)];
  const title = `<title>${escaped(about.filter((text) => text !== '').join('\n'))}</title>`;
  const text = isAround
    ? `<text class="title" x="${round(x + 10)}" y="${round(y + 17)}">${escaped(key)}</text>`
    : `<text x="${round(x + width / 2)}" y="${round(y + height / 2 + 4)}" text-anchor="middle">${escaped(key)}</text>`;
  return `<g>${title}<rect class="${classes}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="6"/>${text}</g>`;
}

function drawArrow({ from, to, events }: TransitionModel, boxes: ReadonlyMap<string, Box>): string {
  const [start, end] = [boxes.get(from), boxes.get(to)];
  if (start === undefined || end === undefined) return '';
  // Between two processes: as strong as the others these would hide them.
  const aside = [from, to].includes('interrupted') ? ' aside' : '';
  const title = escaped(`${from} -> ${to}: ${labelOf(events)}`);
  return `<g><title>${title}</title><path class="arrow${aside}" d="${arrowPath(start, end)}" marker-end="url(#head)"/></g>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
