import type { IncomingMessage } from 'node:http';
import { isOwnOrigin } from './headers.ts';

/** What a rehearsal can be told. */
export interface Control {
  pause(): void;
  play(): void;
  /** Goes on until the next record of any node, and rests there. */
  step(): void;
}

/** Longer than any word of it. */
const BODY_MAX = 1_024;

/** Does what a request asks for; the status code of the answer, and a line where it is refused. */
export async function control(
  of: Control,
  request: IncomingMessage,
): Promise<{ status: number; text: string }> {
  if (!isOwnOrigin(request)) return { status: 403, text: 'only the page itself may do this' };
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    return { status: 415, text: 'give Content-Type: application/json' };
  }
  const body = await bodyOf(request);
  if (body === null) return { status: 413, text: `give at most ${BODY_MAX} bytes` };
  switch (wordOf(body)) {
    case 'pause':
      of.pause();
      break;
    case 'play':
      of.play();
      break;
    case 'step':
      of.step();
      break;
    default:
      return { status: 400, text: 'give {"do":"pause"}, {"do":"play"} or {"do":"step"}' };
  }
  return { status: 204, text: '' };
}

/** null: too long. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function wordOf(body: string): unknown {
  try {
    return (JSON.parse(body) as { do?: unknown } | null)?.do;
  } catch {
    // It is answered as any other word that is none.
    return null;
  }
}
