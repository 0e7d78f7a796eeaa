import { type IncomingHttpHeaders, request } from 'node:http';

export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
}

/** One request with exactly these headers; `Host` is the address where not given. */
export function ask(
  url: string,
  { method = 'GET', headers = {}, body = '' }: Partial<Ask> = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const whole = Buffer.concat(chunks);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: whole,
          text: whole.toString('utf8'),
        });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

interface Ask {
  method: string;
  headers: Record<string, string>;
  body: string;
}
