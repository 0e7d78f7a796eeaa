import type { Box } from '../../diagram/layout.ts';
import type { StateModel } from '../../diagram/model.ts';
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

/** A state as it is drawn; what is to be said of it is its label. */
export function StateBox({
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
            <tspan class="spent" dx="8">
              {shortDuration(spentMs)}
            </tspan>
          )}
        </text>
      ) : (
        <>
          <text x={middle} y={y + height / 2 + (spentMs === undefined ? 4 : -4)}>
            {isActive ? `● ${state.key}` : state.key}
          </text>
          {spentMs !== undefined && (
            <text class="spent" x={middle} y={y + height / 2 + 12}>
              {shortDuration(spentMs)}
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
