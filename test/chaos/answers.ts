import { subscribe } from 'node:diagnostics_channel';

/** Of the event that ends a watch. */
const GONE = '"code":410';

interface Headers {
  response: { statusCode: number };
}

/**
 * In an agent's process: tells of the API server's answers as the client's library sees them, by
 * their status or by why there is none.
 */
export function followAnswers(tell: (answer: string) => void): void {
  subscribe('undici:request:headers', (message) => {
    const { statusCode } = (message as Headers).response;
    if (statusCode >= 400) tell(String(statusCode));
  });
  // A watch is refused inside of its answer.
  subscribe('undici:request:bodyChunkReceived', (message) => {
    const { chunk } = message as { chunk: Uint8Array };
    if (Buffer.from(chunk).includes(GONE)) tell('410 in a watch');
  });
  for (const channel of ['undici:request:error', 'undici:client:connectError']) {
    subscribe(channel, (message) => {
      const { error } = message as { error: Error & { code?: string | number } };
      // The client's own: it wants no answer any more.
      if (error.name === 'AbortError') return;
      const isConnecting = channel.endsWith('connectError');
      tell(`${isConnecting ? 'no connection' : 'broken'} ${error.code ?? error.name}`);
    });
  }
}
