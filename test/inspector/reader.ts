import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { Row } from '../../src/inspector/rows.ts';

export interface ReadEvent {
  type: string;
  id: string;
  data: string;
}

/** Reads an event stream as a browser does. */
export interface EventReader {
  status: number;
  headers: IncomingMessage['headers'];
  events: ReadEvent[];
  comments: string[];
  /** The rows of all events; a restart throws away what was there. */
  rows: Row[];
  /** The number of the last row; what a browser sends when it comes back. */
  lastId(): number;
  isClosed(): boolean;
  /** Resolves as soon as `isSo`; rejects where the stream ends before, or after a minute. */
  until(isSo: () => boolean): Promise<void>;
  /** Takes nothing any more: what is sent stays where it is. */
  stall(): void;
  goOn(): void;
  close(): void;
}

const LIMIT_MS = 60_000;

export async function readEvents(
  url: string,
  headers: Record<string, string> = {},
): Promise<EventReader> {
  const request: ClientRequest = get(url, { agent: false, headers });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject);
  });
  const waiting = new Set<() => void>();
  let text = '';
  let isClosed = false;
  let lastId = 0;
  const reader: EventReader = {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events: [],
    comments: [],
    rows: [],
    lastId: () => lastId,
    isClosed: () => isClosed,
    until: (isSo) =>
      new Promise((resolve, reject) => {
        const end = (settle: () => void) => {
          clearTimeout(late);
          waiting.delete(check);
          settle();
        };
        const check = () => {
          if (isSo()) return end(resolve);
          if (isClosed) end(() => reject(new Error(`closed after ${reader.rows.length} rows`)));
        };
        const late = setTimeout(() => end(() => reject(new Error('never came'))), LIMIT_MS);
        waiting.add(check);
        check();
      }),
    stall: () => void response.pause(),
    goOn: () => void response.resume(),
    close: () => void request.destroy(),
  };
  const take = (block: string) => {
    const fields: ReadEvent = { type: '', id: '', data: '' };
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^(\w*): ?(.*)$/s.exec(line) ?? [];
      if (name === '') reader.comments.push(value);
      if (name === 'event') fields.type = value;
      if (name === 'id') fields.id = value;
      if (name === 'data') fields.data += value;
    }
    if (fields.type === '') return;
    reader.events.push(fields);
    if (fields.id !== '') lastId = Number(fields.id);
    if (fields.type === 'restarted') reader.rows.length = 0;
    if (fields.type === 'rows') reader.rows.push(...(JSON.parse(fields.data) as Row[]));
  };
  const tell = () => {
    for (const check of [...waiting]) check();
  };
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (text + chunk).split('\n\n');
    text = blocks.pop() ?? '';
    blocks.forEach(take);
    tell();
  });
  response.on('error', () => {});
  response.on('close', () => {
    isClosed = true;
    tell();
  });
  return reader;
}
