import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Asset, assetOf } from './assets.ts';
import { HEADERS, takesGzip } from './headers.ts';

export function json(value: unknown): Asset {
  return assetOf('application/json; charset=utf-8', Buffer.from(JSON.stringify(value)));
}

/** 200 with `asset`, compressed where that is accepted. */
export function send(request: IncomingMessage, response: ServerResponse, asset: Asset): void {
  const isGzipped = takesGzip(request);
  const body = isGzipped ? asset.gzipped : asset.plain;
  response.writeHead(200, {
    ...HEADERS,
    'Content-Type': asset.type,
    'Content-Length': body.length,
    Vary: 'Accept-Encoding',
    ...(isGzipped ? { 'Content-Encoding': 'gzip' } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** One line for people. */
export function say(
  response: ServerResponse,
  status: number,
  text: string,
  more: Record<string, string> = {},
): void {
  response.writeHead(status, { ...HEADERS, 'Content-Type': 'text/plain; charset=utf-8', ...more });
  response.end(`${text}\n`);
}
