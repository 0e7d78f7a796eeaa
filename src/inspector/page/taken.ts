import type { MachineModel, TransitionModel } from '../../diagram/model.ts';
import { withAncestors } from './states.ts';

/**
 * The arrows along which an event led from one state to another: the one that it takes, and those
 * that are taken at once behind it. None where the state stayed.
 */
export function taken(
  { states, transitions }: MachineModel,
  from: string,
  type: string,
  to: string,
): TransitionModel[] {
  const initial = new Map(states.map((state) => [state.id, state.initial]));
  const first = leaving(transitions, from).filter(({ events }) => events.includes(type));
  for (const arrow of first) {
    const path = along(transitions, initial, [arrow], to);
    if (path) return path;
  }
  return [];
}

/** Out of a state or one around it, the innermost first. */
function leaving(transitions: TransitionModel[], state: string): TransitionModel[] {
  const from = withAncestors(state).toReversed();
  return from.flatMap((id) => transitions.filter((arrow) => arrow.from === id));
}

function along(
  transitions: TransitionModel[],
  initial: ReadonlyMap<string, string>,
  path: TransitionModel[],
  to: string,
): TransitionModel[] | null {
  const state = settled(initial, path.at(-1)?.to ?? '');
  if (state === to) return path;
  for (const arrow of leaving(transitions, state)) {
    if (!arrow.events.includes('') || path.includes(arrow)) continue;
    const longer = along(transitions, initial, [...path, arrow], to);
    if (longer) return longer;
  }
  return null;
}

/** The state that is entered with another. */
function settled(initial: ReadonlyMap<string, string>, id: string): string {
  const inner = initial.get(id) ?? '';
  return inner === '' ? id : settled(initial, inner);
}
