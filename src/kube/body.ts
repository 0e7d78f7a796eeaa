import type { Response } from 'undici';

/** etcd keeps objects below 1.5 MiB; as JSON they are longer. */
export const ANSWER_MAX_BYTES = 8 * 1024 * 1024;

/** The whole body, or its first `maxBytes`; the rest is not read. */
export async function readText(
  { body }: Response,
  maxBytes: number,
): Promise<{ text: string; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > maxBytes) break;
  }
  const text = Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
  return { text, isCut: bytes > maxBytes };
}

/** The rows of a stream as they come; a last one that no newline ends is cut off, and left out. */
export async function* readRows(
  { body }: Response,
  maxChars: number,
  onChunk: () => void,
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body ?? []) {
    onChunk();
    const rows = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n');
    rest = rows.pop() ?? '';
    if (rest.length > maxChars) throw new Error(`a row of more than ${maxChars} characters`);
    yield* rows;
  }
}
