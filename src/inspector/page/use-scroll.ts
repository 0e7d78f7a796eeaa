import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** What is seen of an element that scrolls, in px. */
export interface Seen {
  top: number;
  height: number;
  width: number;
}

/** Follows an element's size and how far it is scrolled. */
export function useScroll(element: RefObject<HTMLElement | null>): [Seen, () => void] {
  const [seen, setSeen] = useState<Seen>({ top: 0, height: 0, width: 0 });
  const look = () => {
    if (!element.current) return;
    const { scrollTop, clientHeight, clientWidth } = element.current;
    setSeen((before) =>
      before.top === scrollTop && before.height === clientHeight && before.width === clientWidth
        ? before
        : { top: scrollTop, height: clientHeight, width: clientWidth },
    );
  };
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(look);
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [seen, look];
}
