import { ReadableStream, type ReadableStreamDefaultController } from 'node:stream/web';
import type { WatchSink } from '../../src/rehearsal/api.ts';
import type { VirtualClock } from '../../src/rehearsal/clock.ts';
import type { ApiObject } from '../../src/rehearsal/objects.ts';

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
/** Of each object as it was last sent: a change goes to all watches alike. */
const sent = new WeakMap<object, { type: string; bytes: Uint8Array }>();

function bytesOf(row: Parameters<WatchSink['write']>[0]): Uint8Array {
  const { type } = row;
  const object = row.object as ApiObject;
  const known = sent.get(object);
  if (known?.type === type) return known.bytes;
  const bytes = encoder.encode(`${JSON.stringify({ type, object })}\n`);
  sent.set(object, { type, bytes });
  return bytes;
}

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
          const bytes = bytesOf(row);
          deliver(() => {
            onObject(row.object);
            controller?.enqueue(bytes);
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
