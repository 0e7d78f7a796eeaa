import type { Session } from './session.ts';

const PLAY_STEP_MS = 250;
/** While somebody waits for it, work goes on for this long between two frames. */
const SLICE_MS = 8;

/** Some browsers do not tell when they are idle: there it is after a short while. */
function whenIdle(work: IdleRequestCallback, timeoutMs: number): number {
  if ('requestIdleCallback' in globalThis) return requestIdleCallback(work, { timeout: timeoutMs });
  const none = { didTimeout: true, timeRemaining: () => 0 };
  return Number(setTimeout(work, 16, none));
}

/** Verifies what is there while the page has nothing else to do, and plays; returns how to stop. */
export function startWork(session: Session): () => void {
  let idle = 0;
  let refilteredAt = 0;
  let seen = 0;
  const work: IdleRequestCallback = (deadline) => {
    idle = 0;
    if (session.isInBulk) {
      // Rows that are still on their way go first; once none has come since, nothing is.
      const count = session.history.items.length;
      if (count === seen) session.update({});
      seen = count;
      idle = whenIdle(work, 200);
      return;
    }
    const until = performance.now() + Math.max(SLICE_MS, deadline.timeRemaining());
    const { verifier } = session;
    const before = verifier.verified;
    const isMore = verifier.work(() => performance.now() > until, session.item?.stream ?? null);
    // What is left then is verified anew.
    if (session.endBroken()) return;
    if (verifier.verified === before) return;
    if (isMore) idle = whenIdle(work, 50);
    // Lines that have become known may be what is searched for.
    if (session.filter.text !== '' && (!isMore || verifier.verified - refilteredAt > 5_000)) {
      refilteredAt = verifier.verified;
      session.refilter();
    } else if (!isMore) session.update({});
  };
  const start = () => {
    if (idle === 0) idle = whenIdle(work, 200);
  };
  const stop = session.subscribe(start);
  start();
  const timer = setInterval(() => session.isPlaying && session.playOn(), PLAY_STEP_MS);
  return () => {
    stop();
    (globalThis.cancelIdleCallback ?? clearTimeout)(idle);
    clearInterval(timer);
  };
}
