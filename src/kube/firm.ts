import type { KubeClient } from './client.ts';
import type { WatchClock } from './clock.ts';
import { ApiError } from './errors.ts';

/** No API server takes longer to learn its roles. */
const STARTING_MAX_MS = 60_000;

/**
 * A client whose 403 is a firm one. An API server that has just been started knows none of its roles
 * and forbids everything; until it is ready that is a 503, which passes. Where it does not even say
 * whether it is ready, its 403 is taken at its word after a minute.
 */
export function firmClient(client: KubeClient, clock: WatchClock): KubeClient {
  let sinceMs: number | null = null;
  return {
    ...client,
    async request(spec, signal) {
      const ask = async () => {
        const answer = await client.request(spec, signal);
        sinceMs = null;
        return answer;
      };
      try {
        return await ask();
      } catch (error) {
        if (!isForbidding(error)) throw error;
        sinceMs ??= clock.nowMs();
        // It may have become ready since, and then has another answer.
        if (await isReady(client, signal)) return await ask();
        if (clock.nowMs() - sinceMs >= STARTING_MAX_MS) throw error;
        throw new ApiError(`the API server is starting: ${error.message}`, 503, null, error);
      }
    },
  };
}

/** What admission refuses for a cause of its own has nothing to do with roles. */
function isForbidding(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 403 && error.details.length === 0;
}

/** Whether the API server has all that it decides by; true where it has no such answer. */
export async function isReady(client: KubeClient, signal?: AbortSignal): Promise<boolean> {
  try {
    await client.request({ method: 'GET', path: '/readyz' }, signal);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code } = error;
    // "ok" is no JSON, and enough.
    return code !== null && code !== 403 && code < 500;
  }
}
