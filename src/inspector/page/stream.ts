import type { Stream } from './feed.ts';

/**
 * A browser opens six connections to a server, for all its pages together. So many of them may keep
 * one for their events; the others take what there is, and come again.
 */
const STREAMS_MAX = 4;

/** A stream of events at `url`, which is a lasting one as long as there are few. */
export function openStream(url: string): Stream {
  const listeners: [string, EventListener][] = [];
  let source: EventSource | null = null;
  let isClosed = false;
  let giveBack = () => {};
  claim().then((release) => {
    if (isClosed) return release?.();
    giveBack = release ?? giveBack;
    source = new EventSource(release ? url : `${url}&wait=no`);
    for (const [type, listener] of listeners) source.addEventListener(type, listener);
  });
  return {
    addEventListener(type: string, listener: EventListener) {
      listeners.push([type, listener]);
      source?.addEventListener(type, listener);
    },
    close() {
      isClosed = true;
      source?.close();
      giveBack();
    },
  };
}

/** One of the lasting streams of this browser, and how to give it back; null: none is left. */
async function claim(): Promise<(() => void) | null> {
  // Not there where the page came over a network without TLS: nobody can tell how many there are.
  if (!navigator.locks) return null;
  for (let number = 1; number <= STREAMS_MAX; number += 1) {
    const release = await lock(`events-${number}`);
    if (release) return release;
  }
  return null;
}

function lock(name: string): Promise<(() => void) | null> {
  return new Promise((resolve) => {
    navigator.locks
      .request(name, { ifAvailable: true }, (held) => {
        if (held) return new Promise<void>(resolve);
        resolve(null);
      })
      // A browser that lets this page hold no lock is one that does not tell how many there are.
      .catch(() => resolve(null));
  });
}
