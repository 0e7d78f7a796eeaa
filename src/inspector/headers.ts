import type { IncomingMessage } from 'node:http';

/** Of every answer: the page loads nothing from elsewhere, and nobody keeps or frames it. */
export const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

/**
 * Whether a request was meant for this server. A page of elsewhere whose name was made to point
 * here (DNS rebinding) sends that name. `listening`: the address as it was asked for.
 */
export function isHostKnown({ headers, socket }: IncomingMessage, listening: string): boolean {
  const { localAddress = '', localPort = 0 } = socket;
  const names = ['localhost', '127.0.0.1', '::1', listening, localAddress.replace('::ffff:', '')];
  return names.some((name) => headers.host?.toLowerCase() === authority(name, localPort));
}

/** Whether somebody in between might take it for meant for another server (RFC 9112, 3.2). */
export function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  return names.filter((name) => name.toLowerCase() === 'host').length > 1;
}

/** Whether it comes from the page itself: no other page may send what changes something. */
export function isOwnOrigin({ headers }: IncomingMessage): boolean {
  return headers.origin?.toLowerCase() === `http://${headers.host?.toLowerCase()}`;
}

/** `HOST:PORT` as a browser writes it. */
export function authority(host: string, port: number): string {
  const name = (host.includes(':') ? `[${host}]` : host).toLowerCase();
  return port === 80 ? name : `${name}:${port}`;
}

export function takesGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b(?!;q=0(\.0*)?(,|$))/.test(String(headers['accept-encoding'] ?? ''));
}
