import { useEffect, useReducer } from 'preact/hooks';
import type { Session } from './session.ts';

/** Draws again after changes of the session, at most once a frame. */
export function useSession(session: Session): void {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    let frame = 0;
    const stop = session.subscribe(() => {
      if (frame !== 0) return;
      frame = requestAnimationFrame(() => {
        frame = 0;
        draw(undefined);
      });
    });
    // What has changed between the first drawing and now.
    draw(undefined);
    return () => {
      stop();
      cancelAnimationFrame(frame);
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
