import { useState } from 'preact/hooks';
import { arrowPath } from '../../diagram/arrows.ts';
import type { Box } from '../../diagram/layout.ts';
import { type Marks, StateBox } from './chart-state.tsx';
import type { Machine } from './session.ts';
import type { Viewport } from './viewport.ts';

export function ChartPicture({
  machine,
  view,
  marks,
  onShow,
}: {
  machine: Machine;
  view: Viewport;
  marks: Marks;
  onShow: (id: string) => void;
}) {
  const { layout, states, transitions } = machine;
  const boxes = new Map(layout.boxes.map((box) => [box.id, box]));
  const byId = new Map(states.map((state) => [state.id, state]));
  const [roving, setRoving] = useState('');
  const reachable = roving || marks.active.at(-1) || layout.boxes[0]?.id;
  const isLit = ({ from, to }: { from: string; to: string }) => marks.arrows.has(`${from} ${to}`);
  const arrows = transitions.toSorted((one, other) => Number(isLit(one)) - Number(isLit(other)));

  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const at = layout.boxes.findIndex(({ id }) => id === reachable);
    const next = layout.boxes[(at + by + layout.boxes.length) % layout.boxes.length];
    if (!next) return;
    setRoving(next.id);
    document.getElementById(`state-${next.id}`)?.focus();
  };

  const isAround = ({ id }: Box) => byId.get(id)?.kind === 'compound';
  const drawn = (box: Box) => {
    const state = byId.get(box.id);
    if (!state) return null;
    const isReachable = box.id === reachable;
    return (
      <StateBox
        key={box.id}
        box={box}
        state={state}
        marks={marks}
        isReachable={isReachable}
        onShow={onShow}
      />
    );
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset
    <svg
      viewBox={`${view.x} ${view.y} ${view.width} ${view.height}`}
      preserveAspectRatio="xMinYMid meet"
      role="group"
      aria-label="The run machine"
      onKeyDown={onKeyDown}
      onPointerLeave={() => onShow('')}
    >
      <defs>
        {['head', 'head-lit'].map((id) => (
          <marker
            key={id}
            id={id}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path class={id} d="M0 0 8 4 0 8z" />
          </marker>
        ))}
      </defs>
      {layout.boxes.filter(isAround).map(drawn)}
      {arrows.map(({ from, to, events }) => {
        const [start, end] = [boxes.get(from), boxes.get(to)];
        if (!start || !end) return null;
        const lit = isLit({ from, to });
        const aside = [from, to].includes('interrupted') ? ' aside' : '';
        return (
          <g key={`${from} ${to}`} class="arrow-group">
            <title>{`${from} → ${to}: ${events.map((event) => event || 'at once').join(', ')}`}</title>
            <path
              class={`arrow${lit ? ' lit' : aside}`}
              d={arrowPath(start, end)}
              marker-end={`url(#${lit ? 'head-lit' : 'head'})`}
            />
          </g>
        );
      })}
      {layout.boxes.filter((box) => !isAround(box)).map(drawn)}
    </svg>
  );
}
