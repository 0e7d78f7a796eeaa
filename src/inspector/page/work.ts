import { SLICE_MS } from '../slices.ts';
import type { Session } from './session.ts';

const PLAY_STEP_MS = 250;
/** So many records are verified at once, and fewer where that takes long. */
export const SLICE_RECORDS_MAX = 500;

/** Rows that are still on their way go first; once none has come for so long, nothing is. */
const QUIET_MS = 200;

/** Some browsers do not tell when they are idle: there it is after a short while. */
function whenIdle(work: () => void, timeoutMs: number): number {
  if ('requestIdleCallback' in globalThis) return requestIdleCallback(work, { timeout: timeoutMs });
  return Number(setTimeout(work, 16));
}

/** Verifies what is there while the page has nothing else to do, and plays; returns how to stop. */
export function startWork(session: Session): () => void {
  let idle = 0;
  let quiet: ReturnType<typeof setTimeout> | undefined;
  let refilteredAt = 0;
  let seen = 0;
  const work = () => {
    idle = 0;
    if (session.isInBulk) {
      seen = session.history.items.length;
      quiet = setTimeout(onQuiet, QUIET_MS);
      return;
    }
    const until = performance.now() + SLICE_MS;
    let left = SLICE_RECORDS_MAX;
    const isOver = () => {
      left -= 1;
      return left < 0 || performance.now() > until;
    };
    const { verifier } = session;
    const before = verifier.verified;
    const isMore = verifier.work(isOver, session.item?.stream ?? null);
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
  const onQuiet = () => {
    quiet = undefined;
    if (session.history.items.length === seen) session.update({});
    start();
  };
  const start = () => {
    if (idle === 0 && quiet === undefined) idle = whenIdle(work, 200);
  };
  const stop = session.subscribe(start);
  start();
  const timer = setInterval(() => session.isPlaying && session.playOn(), PLAY_STEP_MS);
  return () => {
    stop();
    (globalThis.cancelIdleCallback ?? clearTimeout)(idle);
    clearTimeout(quiet);
    clearInterval(timer);
  };
}
