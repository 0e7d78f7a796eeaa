import { ReadableStream, type ReadableStreamDefaultController } from 'node:stream/web';
import type { WatchSink } from '../../src/rehearsal/api.ts';
import type { VirtualClock } from '../../src/rehearsal/clock.ts';

/** The rows of a watch on their way to one process. */
export interface Rows {
  stream: ReadableStream;
  /** Opens the watch at the server. */
  follow(watch: (sink: WatchSink) => () => void): void;
  /** Ends it: with an error where there is one. */
  cut(error: Error | null): void;
  /** Nothing comes through any more, and nothing tells the process so. */
  freeze(): void;
}

export interface RowsOptions {
  clock: VirtualClock;
  signal: AbortSignal;
  delayMs(): number;
  isAlive(): boolean;
  onObject(object: unknown): void;
  onClosed(): void;
}

const encoder = new TextEncoder();

export function openRows({
  clock,
  signal,
  delayMs,
  isAlive,
  onObject,
  onClosed,
}: RowsOptions): Rows {
  let controller: ReadableStreamDefaultController | undefined;
  let unwatch = () => {};
  let readyAtMs = 0;
  let isClosed = false;
  let isFrozen = false;
  const close = (done: (one: ReadableStreamDefaultController) => void) => {
    if (isClosed) return;
    isClosed = true;
    unwatch();
    onClosed();
    if (controller && isAlive()) done(controller);
  };
  const abort = () => close((one) => one.error(signal.reason));
  const stream = new ReadableStream({
    start(given) {
      controller = given;
    },
    cancel: () => close(() => {}),
  });
  signal.addEventListener('abort', abort, { once: true });
  /** In the order of their sending, each as late as its delay has it. */
  const deliver = (part: () => void) => {
    readyAtMs = Math.max(readyAtMs, clock.nowMs() + delayMs());
    clock.setTimeout(() => {
      if (isClosed || isFrozen) return;
      if (isAlive()) part();
      else close(() => {});
    }, readyAtMs - clock.nowMs());
  };
  return {
    stream,
    follow(watch) {
      if (isClosed) return;
      unwatch = watch({
        write(row) {
          const text = `${JSON.stringify(row)}\n`;
          deliver(() => {
            onObject(row.object);
            controller?.enqueue(encoder.encode(text));
          });
        },
        end: () => deliver(() => close((one) => one.close())),
      });
    },
    cut: (error) => close((one) => (error === null ? one.close() : one.error(error))),
    freeze: () => {
      isFrozen = true;
    },
  };
}
