import { useEffect, useRef, useState } from 'preact/hooks';
import { panned, partsAt, unitsPerPx, type Viewport, zoomed } from './viewport.ts';

const KEY_STEP = 0.1;

/** Moves and zooms a picture by wheel (with ctrl), drag and keys. */
export function usePanZoom(full: Viewport) {
  const [view, setView] = useState(full);
  const frame = useRef<HTMLElement>(null);
  const drag = useRef<{ x: number; y: number; view: Viewport } | null>(null);
  const [isDragging, setDragging] = useState(false);

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    // Not passive: with ctrl the browser would zoom the whole page.
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const { left, top, width, height } = element.getBoundingClientRect();
      const frame = { width, height };
      const factor = event.deltaY < 0 ? 1.15 : 1 / 1.15;
      setView((now) => {
        const around = partsAt(now, frame, event.clientX - left, event.clientY - top);
        return zoomed(now, factor, full, around);
      });
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [full]);

  const move = (x: number, y: number) =>
    setView((now) => panned(now, x * now.width * KEY_STEP, y * now.height * KEY_STEP, full));
  const keys: Record<string, () => void> = {
    ArrowLeft: () => move(-1, 0),
    ArrowRight: () => move(1, 0),
    ArrowUp: () => move(0, -1),
    ArrowDown: () => move(0, 1),
    '+': () => setView((now) => zoomed(now, 1.25, full)),
    '-': () => setView((now) => zoomed(now, 0.8, full)),
    '0': () => setView(full),
  };

  return {
    view,
    frame,
    isDragging,
    fit: () => setView(full),
    zoom: (factor: number) => setView((now) => zoomed(now, factor, full)),
    onKeyDown(event: KeyboardEvent) {
      const action = event.target === event.currentTarget ? keys[event.key] : undefined;
      if (!action || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      action();
    },
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return;
      drag.current = { x: event.clientX, y: event.clientY, view };
    },
    onPointerMove(event: PointerEvent) {
      if (!drag.current || !frame.current) return;
      const { x, y, view: from } = drag.current;
      const { width, height } = frame.current.getBoundingClientRect();
      const perPx = unitsPerPx(from, { width, height });
      setDragging(true);
      setView(panned(from, (x - event.clientX) * perPx, (y - event.clientY) * perPx, full));
    },
    onPointerUp() {
      drag.current = null;
      setDragging(false);
    },
  };
}
