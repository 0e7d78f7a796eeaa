import type { WatchClock } from './clock.ts';
import { bookmarked, foundQuiet, type Heartbeat, opened } from './heartbeat.ts';

export interface Pulse {
  /** The server has answered; until then silence is no quiet watch. */
  opened(): void;
  /** Anything came. */
  heard(): void;
  bookmark(): void;
  /** The limit has passed, and nothing has come since. */
  isSilent(): boolean;
  stop(): void;
}

/**
 * Calls `onDead`, once, when a watch is silent for too long: `isUnchanged` reads whether something
 * was missed, or nothing happened and the watch is only quiet.
 */
export function startPulse(
  stallMs: number,
  clock: WatchClock,
  isUnchanged: () => Promise<boolean>,
  onDead: () => void,
): Pulse {
  let heartbeat = opened(stallMs, clock.nowMs());
  let heardAtMs = clock.nowMs();
  let isOpen = false;
  let isStopped = false;
  let timer: unknown;

  const heard = () => {
    heardAtMs = clock.nowMs();
  };
  const check = () => {
    const leftMs = heardAtMs + heartbeat.limitMs - clock.nowMs();
    if (leftMs > 0) timer = clock.setTimeout(check, leftMs);
    else void probe();
  };
  const probe = async () => {
    const quiet: Heartbeat | null = isOpen && (await isUnchanged()) ? foundQuiet(heartbeat) : null;
    if (isStopped) return;
    if (quiet === null) return onDead();
    heartbeat = quiet;
    heard();
    check();
  };
  check();
  return {
    heard,
    opened: () => {
      isOpen = true;
      heard();
    },
    bookmark: () => {
      heartbeat = bookmarked(heartbeat, stallMs, clock.nowMs());
    },
    isSilent: () => clock.nowMs() - heardAtMs >= heartbeat.limitMs,
    stop: () => {
      isStopped = true;
      clock.clearTimeout(timer);
    },
  };
}
