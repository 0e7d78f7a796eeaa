import type { Session } from './session.ts';

const PLAY_STEP_MS = 250;
/** While somebody waits for it, work goes on for this long between two frames. */
const SLICE_MS = 8;

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
      idle = requestIdleCallback(work);
      return;
    }
    const until = performance.now() + Math.max(SLICE_MS, deadline.timeRemaining());
    const { verifier } = session;
    const before = verifier.verified;
    const isMore = verifier.work(() => performance.now() > until, session.item?.stream ?? null);
    if (verifier.verified === before) return;
    if (isMore) idle = requestIdleCallback(work, { timeout: 50 });
    // Lines that have become known may be what is searched for.
    if (session.filter.text !== '' && (!isMore || verifier.verified - refilteredAt > 5_000)) {
      refilteredAt = verifier.verified;
      session.refilter();
    } else if (!isMore) session.update({});
  };
  const start = () => {
    if (idle === 0) idle = requestIdleCallback(work, { timeout: 200 });
  };
  const stop = session.subscribe(start);
  start();
  const timer = setInterval(() => session.isPlaying && session.playOn(), PLAY_STEP_MS);
  return () => {
    stop();
    cancelIdleCallback(idle);
    clearInterval(timer);
  };
}
