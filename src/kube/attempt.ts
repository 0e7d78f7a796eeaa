import { Observable } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import { ApiError } from './errors.ts';

/**
 * One piece of work as one event; the stream never errors. Unsubscribing gives the work's requests
 * up, so that an update of a run that no longer waits for it is not sent again after a refused
 * token.
 */
export function attempt(
  prefix: string,
  work: (signal: AbortSignal) => Promise<RunEvent>,
): Observable<RunEvent> {
  return new Observable((subscriber) => {
    const controller = new AbortController();
    work(controller.signal)
      .catch((error: unknown) => failure(prefix, error))
      .then((event) => {
        subscriber.next(event);
        subscriber.complete();
      });
    return () => controller.abort();
  });
}

export function failure(prefix: string, error: unknown): RunEvent {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof ApiError ? error.code : null;
  return { type: 'api.failed', message: `${prefix}${message}`, ...(code === null ? {} : { code }) };
}
