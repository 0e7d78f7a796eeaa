import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** An element's width in px, as it changes. */
export function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const frame = useRef<HTMLDivElement | null>(null);
  const [widthPx, setWidth] = useState(0);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [frame, widthPx];
}
