import type { ServerResponse } from 'node:http';
import type { Feed } from './feed.ts';

/** A reader for whom this many rows have come while it takes none is cut off. */
export const WAITING_MAX = 1_000;
/** A reader that takes nothing for so many heartbeats is cut off, also where no rows come. */
const STALLED_BEATS_MAX = 4;
/** How soon a browser comes back, ms. */
const RETRY_MS = 1_000;

export interface Reader {
  /** The number of the last row that the reader has; 0: none. */
  after: number;
  /** What it has is of another process. */
  isStranger: boolean;
  /** It takes what there is, and comes again for more: a browser has few connections. */
  isBrief: boolean;
  heartbeatMs: number;
}

/**
 * Writes a feed as Server-Sent Events for as long as the reader stays. No row waits here for a
 * reader but those of one batch: the next one is taken from the feed when the last one is gone.
 */
export function serveEvents(feed: Feed, response: ServerResponse, reader: Reader): void {
  const { after, isStranger, isBrief, heartbeatMs } = reader;
  // What is there already may take its time; only what comes from now on counts as waiting.
  const liveFromId = feed.lastId();
  let lastId = after;
  let lastSaid = 0;
  let isBlocked = false;
  let isScheduled = false;
  let stalledBeats = 0;

  const isOver = () => response.destroyed || response.writableEnded;
  const write = (text: string) => {
    isBlocked = !response.write(text);
  };
  const restart = () => {
    write('event: restarted\ndata: {}\n\n');
    lastId = feed.firstId() - 1;
  };
  const pump = () => {
    isScheduled = false;
    while (!isBlocked && !isOver()) {
      for (const { number, type, json } of feed.said(lastSaid)) {
        lastSaid = number;
        write(`event: ${type}\ndata: ${json}\n\n`);
      }
      if (lastId + 1 < feed.firstId()) {
        if (lastId > 0) restart();
        lastId = feed.firstId() - 1;
        continue;
      }
      const batch = feed.batch(lastId);
      if (batch === null) {
        if (feed.isEnded()) response.end('event: end\ndata: {}\n\n');
        else if (isBrief) response.end('event: later\ndata: {}\n\n');
        return;
      }
      lastId = batch.lastId;
      write(`id: ${lastId}\nevent: rows\ndata: ${batch.json}\n\n`);
    }
  };
  // Whoever appends goes on at once; the rows of one turn travel together.
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(pump);
  };
  const onChange = () => {
    if (!isBlocked) return schedule();
    const pastId = Math.max(lastId, liveFromId, feed.pastId());
    if (feed.lastId() - pastId > WAITING_MAX) response.destroy();
  };
  const beat = () => {
    if (!isBlocked && !isOver()) return write(': still here\n\n');
    stalledBeats += 1;
    if (stalledBeats >= STALLED_BEATS_MAX) response.destroy();
  };

  const stopListening = feed.onChange(onChange);
  const heartbeat = setInterval(beat, heartbeatMs).unref();
  response.on('drain', () => {
    isBlocked = false;
    stalledBeats = 0;
    schedule();
  });
  response.on('close', () => {
    stopListening();
    clearInterval(heartbeat);
  });
  write(`retry: ${RETRY_MS}\n\n`);
  if (isStranger || lastId > feed.lastId()) restart();
  schedule();
}
