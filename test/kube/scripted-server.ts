import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { ClientOptions } from '../../src/kube/client.ts';
import { clientAt } from './objects.ts';

export interface ScriptedServer {
  url: string;
  /** Method, path and token of each request. */
  requests: { method: string; url: string; token: string }[];
  close(): Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers as a test says, or does not, with a client; both end with the test. */
export async function scripted(
  t: TestContext,
  answer: Handler,
  options: Partial<ClientOptions> = {},
) {
  const server = await startScripted(answer);
  const client = clientAt(server.url, options);
  t.after(async () => {
    await client.close();
    await server.close();
  });
  return { client, requests: server.requests };
}

export async function startScripted(answer: Handler, host = '127.0.0.1'): Promise<ScriptedServer> {
  const requests: ScriptedServer['requests'] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const token = (headers.authorization ?? '').replace('Bearer ', '');
    requests.push({ method, url, token });
    answer(request, response);
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    requests,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
