import type { RefObject } from 'preact';
import { useEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import type { Axis } from './axis.ts';
import type { Session } from './session.ts';
import { ShownTime } from './shown-time.ts';

/** So far a pointer has to go before it drags: a hand is never still. */
const DRAG_MIN_PX = 4;

/** The time that is shown, following a session. */
export function useShownTime(session: Session): ShownTime {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const time = useMemo(() => new ShownTime(() => draw(undefined)), []);
  const { moment } = session;
  const step = moment && session.folder.stepAt(moment);
  const deadlineMs = step && typeof step !== 'string' ? step.fold.deadlineMs : null;
  time.follow(session.history, moment, deadlineMs);
  return time;
}

/**
 * Zooms by wheel (with ctrl) and moves by drag, over an element in which the axis begins `leftPx`
 * from the left.
 */
export function useTimeDrag(
  frame: RefObject<Element | null>,
  time: ShownTime,
  axis: Axis,
  leftPx = 0,
) {
  const now = useRef(axis);
  now.current = axis;
  const drag = useRef<{ x: number; axis: Axis; isMoved: boolean } | null>(null);

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    // Not passive: with ctrl the browser would zoom the whole page.
    const onWheel = (event: Event) => {
      const { ctrlKey, deltaY, clientX } = event as WheelEvent;
      if (!ctrlKey) return;
      event.preventDefault();
      const x = clientX - element.getBoundingClientRect().left - leftPx;
      time.zoom(deltaY < 0 ? 1.25 : 0.8, now.current, Math.max(0, x));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [frame, time, leftPx]);

  return {
    onPointerDown({ button, clientX }: PointerEvent) {
      drag.current = button === 0 ? { x: clientX, axis: now.current, isMoved: false } : null;
    },
    onPointerMove({ buttons, clientX }: PointerEvent) {
      const { current } = drag;
      if (!current || buttons === 0) return;
      const byPx = current.x - clientX;
      current.isMoved ||= Math.abs(byPx) >= DRAG_MIN_PX;
      if (current.isMoved) time.pan(byPx, current.axis);
    },
    /** What ends a drag is no click. */
    onClickCapture(event: MouseEvent) {
      if (drag.current?.isMoved) event.stopPropagation();
      drag.current = null;
    },
  };
}
