import { pause } from './clock.ts';
import { ApiError } from './errors.ts';

/** Refused by the API server's flow control, before anything was done. */
const THROTTLED = 429;
const THROTTLED_MAX_TIMES = 3;
const RETRY_AFTER_MAX_S = 30;

export interface Persistence {
  /** Ends the pauses; the last refusal is then thrown. */
  signal: AbortSignal;
  unauthorizedPausesMs: number[];
  throttledMaxTimes?: number;
}

/**
 * Makes `attempt` again after a 401, with the pauses given, and after a 429 that says when to come
 * again (Retry-After). Nothing was carried out in either case, so that a patch is safe to repeat.
 */
export async function persistently<T>(
  attempt: () => Promise<T>,
  { signal, unauthorizedPausesMs, throttledMaxTimes = THROTTLED_MAX_TIMES }: Persistence,
): Promise<T> {
  const unauthorizedMs = [...unauthorizedPausesMs];
  let throttledTimes = 0;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const isThrottled = isComingAgain(error) && throttledTimes < throttledMaxTimes;
      if (isThrottled) throttledTimes += 1;
      const pauseMs = isThrottled ? retryMs(error) : nextMs(error, unauthorizedMs);
      if (pauseMs === undefined) throw error;
      await pause(pauseMs, signal);
      if (signal.aborted) throw error;
    }
  }
}

function nextMs(error: ApiError, pausesMs: number[]): number | undefined {
  return error.code === 401 ? pausesMs.shift() : undefined;
}

function isComingAgain({ code, retryAfterS }: ApiError): boolean {
  return code === THROTTLED && retryAfterS !== null && retryAfterS <= RETRY_AFTER_MAX_S;
}

/** Up to half as long again: all nodes were told the same number. */
function retryMs({ retryAfterS }: ApiError): number {
  return (retryAfterS ?? 0) * 1_000 * (1 + Math.random() / 2);
}
