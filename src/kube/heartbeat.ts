/**
 * How long a watch may be silent. API servers send a bookmark about every minute, but the first
 * may take two, and after a restart there is none until something was written: the limit follows
 * what this watch has shown.
 */
export interface Heartbeat {
  limitMs: number;
  lastBookmarkMs: number;
  /** A bookmark has come: with the next one missing, the stream is dead. */
  isRegular: boolean;
}

/** Bookmarks are late by as much as a busy server is. */
const LATE = 1.25;

export function opened(stallMs: number, nowMs: number): Heartbeat {
  return { limitMs: stallMs, lastBookmarkMs: nowMs, isRegular: false };
}

export function bookmarked(before: Heartbeat, stallMs: number, nowMs: number): Heartbeat {
  const limitMs = Math.max(stallMs, LATE * (nowMs - before.lastBookmarkMs));
  return { limitMs, lastBookmarkMs: nowMs, isRegular: true };
}

/**
 * The limit has passed, and a read showed that nothing was missed. Null: the watch is dead all the
 * same. Twice the time otherwise, so that a server without bookmarks costs a few reads a watch.
 */
export function foundQuiet(before: Heartbeat): Heartbeat | null {
  return before.isRegular ? null : { ...before, limitMs: before.limitMs * 2 };
}
