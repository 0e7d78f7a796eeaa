import type { Marks } from './chart-state.tsx';
import { entryActions } from './entry-actions.ts';
import type { Machine } from './session.ts';
import { duration } from './words.ts';

/** What there is to say of a state: the one that is pointed at, else the active one. */
export function ChartDetails({
  machine,
  id,
  marks,
}: {
  machine: Machine;
  id: string;
  marks: Marks;
}) {
  const state = machine.states.find((one) => one.id === id);
  if (!state) {
    return (
      <div class="chart-details">
        <p>Point at a state to read what it is about.</p>
      </div>
    );
  }
  const entry = entryActions(id);
  const spentMs = marks.spent.get(id);
  const remarks = [
    spentMs === undefined ? 'not visited in this run' : `${duration(spentMs)} in this run`,
    ...(state.isEffect ? ['its effect starts once its record is on the disk'] : []),
  ];
  return (
    <div class="chart-details">
      <p>
        <code class="strong">{id}</code> {state.description}
      </p>
      <dl>
        <dt>entry</dt>
        <dd>{entry.length === 0 ? '—' : entry.join(' · ')}</dd>
        <dt>actor</dt>
        <dd>{state.actors.length === 0 ? '—' : state.actors.join(', ')}</dd>
        <dt>time</dt>
        <dd>{remarks.join('; ')}</dd>
      </dl>
    </div>
  );
}
