import { useState } from 'preact/hooks';
import { arrowPath } from '../../diagram/arrows.ts';
import type { Box } from '../../diagram/layout.ts';
import type { StateModel } from '../../diagram/model.ts';
import type { Machine } from './session.ts';
import type { Viewport } from './viewport.ts';
import { duration, shortDuration } from './words.ts';

/** What a moment marks in the picture. */
export interface Marks {
  /** The active states, outermost first. */
  active: readonly string[];
  /** ms in each state that the run has been in. */
  spent: ReadonlyMap<string, number>;
  /** `from to` of the arrows that were just taken. */
  arrows: ReadonlySet<string>;
}

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

function StateBox({
  box,
  state,
  marks,
  isReachable,
  onShow,
}: {
  box: Box;
  state: StateModel;
  marks: Marks;
  isReachable: boolean;
  onShow: (id: string) => void;
}) {
  const { x, y, width, height, id } = box;
  const isAround = state.kind === 'compound';
  const isActive = marks.active.includes(id);
  const spentMs = marks.spent.get(id);
  const classes = ['box', isAround ? 'around' : 'state', `kind-${state.kind}`];
  if (state.isEffect) classes.push('effect');
  if (isActive) classes.push('active');
  if (spentMs !== undefined) classes.push('visited');
  const middle = x + width / 2;
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it is read, not pressed
    <g
      id={`state-${id}`}
      class={classes.join(' ')}
      data-state={id}
      role="img"
      tabindex={isReachable ? 0 : -1}
      aria-label={labelOf(state, isActive, spentMs)}
      onPointerEnter={() => onShow(id)}
      onFocus={() => onShow(id)}
      onBlur={() => onShow('')}
    >
      <rect x={x} y={y} width={width} height={height} rx="5" />
      {isAround ? (
        <text class="title" x={x + 10} y={y + 15}>
          {isActive ? `● ${state.key}` : state.key}
          {spentMs !== undefined && (
            <tspan class="spent" dx="8">{`${shortDuration(spentMs)}`}</tspan>
          )}
        </text>
      ) : (
        <>
          <text x={middle} y={y + height / 2 + (spentMs === undefined ? 4 : -1)}>
            {state.key}
          </text>
          {spentMs !== undefined && (
            <text class="spent" x={middle} y={y + height / 2 + 11}>
              {`${isActive ? '● ' : ''}${shortDuration(spentMs)}`}
            </text>
          )}
        </>
      )}
    </g>
  );
}

function labelOf({ id, description }: StateModel, isActive: boolean, spentMs: number | undefined) {
  const parts = [id];
  if (isActive) parts.push('active');
  parts.push(
    spentMs === undefined ? 'not visited in this run' : `${duration(spentMs)} in this run`,
  );
  if (description !== '') parts.push(description);
  return parts.join(', ');
}
