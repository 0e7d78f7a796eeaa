import { useEffect, useLayoutEffect, useReducer } from 'preact/hooks';
import type { Session } from './session.ts';

/** While much comes at once, so long between two drawings: taking it in goes first. */
const BULK_DRAW_MS = 500;

/** Draws again after changes of the session, at most once a frame. */
export function useSession(session: Session): void {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => {
    let frame = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let hasRows = false;
    const onFrame = () => {
      frame = 0;
      draw(undefined);
    };
    const stop = session.subscribe(() => {
      if (frame !== 0) return;
      // The first rows are shown at once.
      const isFirst = !hasRows && session.history.items.length > 0;
      hasRows = session.history.items.length > 0;
      if (!session.isInBulk || isFirst) {
        clearTimeout(timer);
        timer = undefined;
        frame = requestAnimationFrame(onFrame);
      } else if (timer === undefined) {
        timer = setTimeout(() => {
          timer = undefined;
          draw(undefined);
        }, BULK_DRAW_MS);
      }
    });
    // What has changed between the first drawing and now.
    draw(undefined);
    return () => {
      stop();
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [session]);
}

/** Whether a media query holds, now and later. */
export function useMedia(query: string): boolean {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const list = matchMedia(query);
    const listener = () => draw(undefined);
    list.addEventListener('change', listener);
    return () => list.removeEventListener('change', listener);
  }, [query]);
  return matchMedia(query).matches;
}
