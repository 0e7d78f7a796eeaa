import { useMemo, useState } from 'preact/hooks';
import { ChartDetails } from './chart-details.tsx';
import { ChartPicture } from './chart-picture.tsx';
import type { Marks } from './chart-state.tsx';
import { usePanZoom } from './pan-zoom.ts';
import type { Session } from './session.ts';
import { spentUpTo } from './spent.ts';
import { withAncestors } from './states.ts';
import { taken } from './taken.ts';
import { whole } from './viewport.ts';

/** The whole machine, with the moment in it. */
export function Chart({
  session,
  isMaximised,
  onMaximise,
}: {
  session: Session;
  isMaximised: boolean;
  onMaximise: () => void;
}) {
  const { machine } = session;
  const [shown, setShown] = useState('');
  const full = useMemo(() => whole(machine.layout), [machine]);
  const pan = usePanZoom(full);
  const marks = marksOf(session);
  return (
    <div class="chart">
      <fieldset class="chart-tools" aria-label="Zoom">
        <button type="button" onClick={() => pan.zoom(1.25)} aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={() => pan.zoom(0.8)} aria-label="Zoom out">
          −
        </button>
        <button type="button" onClick={pan.fit}>
          Fit
        </button>
        <button type="button" onClick={onMaximise} aria-pressed={isMaximised}>
          {isMaximised ? 'Restore' : 'Maximise'}
        </button>
      </fieldset>
      <section
        class={pan.isDragging ? 'chart-view dragging' : 'chart-view'}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move what is in it
        tabIndex={0}
        aria-label="Statechart: arrow keys move it, plus and minus zoom, Tab goes to its states"
        ref={pan.frame}
        onKeyDown={pan.onKeyDown}
        onPointerDown={pan.onPointerDown}
        onPointerMove={pan.onPointerMove}
        onPointerUp={pan.onPointerUp}
        onPointerCancel={pan.onPointerUp}
      >
        <ChartPicture machine={machine} view={pan.view} marks={marks} onShow={setShown} />
      </section>
      <ChartDetails machine={machine} id={shown || marks.active.at(-1) || ''} marks={marks} />
    </div>
  );
}

function marksOf(session: Session): Marks {
  const { moment, machine } = session;
  const none = { active: [], spent: new Map<string, number>(), arrows: new Set<string>() };
  if (moment === null) return none;
  const step = session.folder.stepAt(moment);
  if (typeof step === 'string') return none;
  const { record } = moment.row;
  const type = 'event' in record ? record.event.type : '';
  const arrows = step.from === step.to ? [] : taken(machine, step.from, type, step.to);
  return {
    active: withAncestors(step.to),
    spent: spentUpTo(moment),
    arrows: new Set(arrows.map(({ from, to }) => `${from} ${to}`)),
  };
}
