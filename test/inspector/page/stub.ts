import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readLayout } from '../../../src/diagram/layout.ts';
import { machineModel } from '../../../src/diagram/model.ts';
import { bundlePage } from '../../../src/inspector/bundle.ts';
import type { Row, Source } from '../../../src/inspector/rows.ts';

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  css: 'text/css',
};
const BATCH = 500;

/** The server that the page expects, in one place and with faults on demand. */
export class Stub {
  rows: Row[];
  source: Source;
  isOver: boolean;
  /** What the page told the rehearsal to do. */
  readonly told: string[] = [];
  /** Connections are refused. */
  isDown = false;
  readonly #files: Map<string, Uint8Array>;
  readonly #streams = new Map<ServerResponse, number>();
  readonly #server: Server;

  private constructor(files: Map<string, Uint8Array>, rows: Row[], isOver: boolean) {
    this.#files = files;
    this.rows = rows;
    this.isOver = isOver;
    this.source = sourceOf(isOver);
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  /** `isOver`: nothing follows the rows. */
  static async start(rows: Row[], isOver = true): Promise<Stub> {
    const stub = new Stub(await bundlePage(), rows, isOver);
    await new Promise<void>((resolve) => stub.#server.listen(0, '127.0.0.1', resolve));
    return stub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get readers(): number {
    return this.#streams.size;
  }

  push(...rows: Row[]): void {
    this.rows.push(...rows);
    for (const response of this.#streams.keys()) this.#send(response);
  }

  /** Cuts all streams, as a network does; the last `again` rows are sent twice. */
  cut(again = 0): void {
    for (const [response, sent] of this.#streams) {
      if (again > 0) this.#batch(response, sent - again, sent);
      response.end();
    }
    this.#streams.clear();
  }

  /** Another process with other rows. */
  restart(rows: Row[]): void {
    this.rows = rows;
    this.source = { ...this.source, token: `${this.source.token}+` };
    this.cut();
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    response.setHeader('Content-Security-Policy', CSP);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    if (this.isDown) {
      response.destroy();
    } else if (pathname === '/events') {
      const waits = searchParams.get('wait') !== 'no';
      this.#open(response, Number(searchParams.get('after')), searchParams.get('source'), waits);
    } else if (pathname === '/control') {
      this.#control(request, response);
    } else if (pathname === '/machine.json') {
      response.end(JSON.stringify({ ...machineModel(), layout: readLayout() }));
    } else if (pathname === '/source.json') {
      response.end(JSON.stringify(this.source));
    } else {
      const name = pathname === '/' ? 'index.html' : pathname.slice(1);
      const file = this.#files.get(name);
      response.setHeader('Content-Type', TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain');
      response.statusCode = file ? 200 : 404;
      response.end(file);
    }
  }

  #open(response: ServerResponse, after: number, token: string | null, waits: boolean): void {
    response.setHeader('Content-Type', 'text/event-stream');
    response.flushHeaders();
    if (token !== this.source.token || after > this.rows.length) {
      response.end('event: restarted\ndata: {}\n\n');
      return;
    }
    this.#streams.set(response, after);
    if (this.source.isPaced) this.#pace(response);
    response.on('close', () => this.#streams.delete(response));
    this.#send(response);
    if (this.isOver) response.write('event: end\ndata: {}\n\n');
    else if (!waits) response.end('event: later\ndata: {}\n\n');
  }

  #send(response: ServerResponse): void {
    let sent = this.#streams.get(response) ?? 0;
    while (sent < this.rows.length) {
      const end = Math.min(sent + BATCH, this.rows.length);
      this.#batch(response, sent, end);
      sent = end;
    }
    this.#streams.set(response, sent);
  }

  #batch(response: ServerResponse, from: number, to: number): void {
    const data = JSON.stringify(this.rows.slice(from, to));
    response.write(`event: rows\nid: ${to}\ndata: ${data}\n\n`);
  }

  #pace(response: ServerResponse): void {
    const state = this.source.isPaused ? 'paused' : 'playing';
    response.write(`event: pace\ndata: ${JSON.stringify({ state, speed: 1 })}\n\n`);
  }

  #control(request: IncomingMessage, response: ServerResponse): void {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const told = (JSON.parse(body) as { do: string }).do;
      this.told.push(told);
      this.source = { ...this.source, isPaused: told !== 'play' };
      for (const stream of this.#streams.keys()) this.#pace(stream);
      response.statusCode = 204;
      response.end();
    });
  }
}

function sourceOf(isOver: boolean): Source {
  return {
    mode: isOver ? 'files' : 'live',
    version: '0.1.0',
    title: 'stub',
    token: 'one',
    sources: [],
    isPaced: false,
    isPaused: false,
  };
}
