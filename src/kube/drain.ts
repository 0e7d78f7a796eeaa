import { Observable } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import type { KubeClient } from './client.ts';
import { pause, type WatchClock } from './clock.ts';
import type { Drain, DrainInput } from './drain-input.ts';
import { createLeavers } from './leavers.ts';
import { createLeavingList } from './leaving.ts';
import { createLimit } from './limit.ts';

const REQUESTS_MAX = 10;
/** Between two looks at what is left. */
const LOOK_FIRST_MS = 1_000;
const LOOK_MAX_MS = 5_000;

/**
 * Evicts the pods of a node that has been cordoned, and waits until they are gone: pod.evicted,
 * pod.blocked and pod.gone, then node.drained, or drain.failed where it can never succeed. The
 * stream never errors and has no limit of its own; unsubscribing ends all its requests and timers.
 * `clock` has the wall time. `warn` is told what goes wrong and is tried again.
 */
export function drainNode(
  client: KubeClient,
  input: DrainInput,
  clock: WatchClock,
  warn: (message: string) => void,
): Observable<RunEvent> {
  return new Observable((subscriber) => {
    const controller = new AbortController();
    const { signal } = controller;
    const drain: Drain = {
      client,
      input,
      clock,
      signal,
      limit: createLimit(REQUESTS_MAX),
      emit: (event) => {
        if (!signal.aborted) subscriber.next(event);
      },
      warn: (message) => {
        if (!signal.aborted) warn(message);
      },
    };
    untilDrained(drain)
      .then((output): RunEvent => ({ type: 'node.drained', output }))
      .catch((error: Error): RunEvent => ({ type: 'drain.failed', message: error.message }))
      .then((event) => {
        drain.emit(event);
        subscriber.complete();
      });
    return () => controller.abort();
  });
}

/** Resolves with what kubectl would have written. Throws DrainError. */
async function untilDrained(drain: Drain): Promise<string> {
  const { input, clock, signal } = drain;
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  const leavers = createLeavers(drain, fail);
  const list = createLeavingList(drain);
  const output = async (): Promise<string> => {
    for (let pauseMs = LOOK_FIRST_MS; ; pauseMs = Math.min(pauseMs * 2, LOOK_MAX_MS)) {
      leavers.update(await list());
      if (!leavers.isAnyInTheWay()) break;
      await pause(pauseMs, signal, clock);
      signal.throwIfAborted();
    }
    const node = `node/${input.node}`;
    return [`${node} cordoned`, ...leavers.output, `${node} drained`].join('\n');
  };
  return Promise.race([output(), failed]);
}
