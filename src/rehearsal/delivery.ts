import { ReadableStream, type ReadableStreamDefaultController } from 'node:stream/web';
import type { VirtualClock } from './clock.ts';

/** A watch's rows on their way from the server to the client. */
export interface Delivery {
  /** For the server: a row, or the end, is being sent. */
  sending(): void;
  /** For the client: the stream with its rows as they come in virtual time. */
  receive(body: ReadableStream, signal: AbortSignal): ReadableStream;
  /** From now on nothing comes through any more, and nothing tells the client so. */
  freeze(): void;
}

type Part = (controller: ReadableStreamDefaultController) => void;

/**
 * What the server sends is awaited, so that no time passes while it is on the wire, and handed to
 * the client `delayMs` later. The order is that of the sending, which the sockets do not keep
 * from one client to the next.
 */
export function createDelivery(clock: VirtualClock, delayMs: () => number): Delivery {
  const awaited: (() => void)[] = [];
  const parts: Part[] = [];
  let handOver: (part: Part) => void = () => {};
  let readyAtMs = clock.nowMs();
  let isFrozen = false;
  let isOver = false;

  const arrived = (part: Part) => {
    if (isOver) return;
    const release = awaited.shift();
    // A broken stream that nobody announced: there is no time set for it.
    if (!release) return handOver(part);
    parts.push(part);
    release();
  };
  const stop = () => {
    isOver = true;
    for (const release of awaited.splice(0)) release();
  };
  return {
    sending() {
      if (isOver) return;
      awaited.push(clock.hold());
      readyAtMs = Math.max(readyAtMs, clock.nowMs() + delayMs());
      clock.setTimeout(() => {
        const part = parts.shift();
        if (part && !isOver && !isFrozen) handOver(part);
      }, readyAtMs - clock.nowMs());
    },
    receive(body, signal) {
      return new ReadableStream({
        start(controller) {
          handOver = (part) => part(controller);
          const abort = () => {
            if (isOver) return;
            stop();
            controller.error(signal.reason);
          };
          if (signal.aborted) return abort();
          signal.addEventListener('abort', abort);
          void pump(body, arrived, stop, () => isOver);
        },
        // The reader has had enough; the rest is read and dropped.
        cancel: stop,
      });
    },
    freeze: () => {
      isFrozen = true;
    },
  };
}

/** Reads the body row by row; its end and its failure are parts too. Never throws. */
async function pump(
  body: ReadableStream,
  arrived: (part: Part) => void,
  stop: () => void,
  isOver: () => boolean,
): Promise<void> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  try {
    for await (const chunk of body) {
      const rows = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n');
      rest = rows.pop() ?? '';
      for (const row of rows) {
        arrived((controller) => controller.enqueue(encoder.encode(`${row}\n`)));
      }
    }
    arrived((controller) => {
      stop();
      controller.close();
    });
  } catch (error) {
    // After an abort this is the abort, which the reader has been told already.
    if (isOver()) return;
    arrived((controller) => {
      stop();
      controller.error(error);
    });
  }
}
