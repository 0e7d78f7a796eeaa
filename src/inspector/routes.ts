import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readLayout } from '../diagram/layout.ts';
import { machineModel } from '../diagram/model.ts';
import { json, say, send } from './answers.ts';
import type { Asset } from './assets.ts';
import { type Control, control } from './control.ts';
import { serveEvents } from './events.ts';
import type { Feed } from './feed.ts';
import { authority, HEADERS, hasTwoHosts, isHostKnown } from './headers.ts';
import type { Source } from './rows.ts';

/** What there is to be asked for. */
export interface Contents {
  /** The built page, from readAssets(). */
  assets: ReadonlyMap<string, Asset>;
  feed: Feed;
  source: () => Omit<Source, 'token'>;
  /** Of a rehearsal. */
  control?: Control;
  /** How often an idle reader hears that the server is there; 15,000 where not given. */
  heartbeatMs?: number;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const HEARTBEAT_MS = 15_000;

/** Answers every request to a server that listens on `host`. */
export function routes(contents: Contents, host: string): Answer {
  const pages = pagesOf(contents, randomBytes(8).toString('hex'));
  const answer: Answer = (request, response) => {
    if (hasTwoHosts(request)) {
      say(response, 400, 'one Host header, please: it was given twice', { Connection: 'close' });
      return;
    }
    if (!isHostKnown(request, host)) {
      const here = authority('localhost', request.socket.localPort ?? 0);
      say(response, 403, `not by this name: open http://${here}/ (a tunnel must keep the port)`);
      return;
    }
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const page = pages[path];
    if (!Object.hasOwn(pages, path) || !page) say(response, 404, 'not found');
    else if (page.methods.includes(request.method ?? '')) page.answer(request, response, query);
    else say(response, 405, `only ${page.methods.join(', ')}`, { Allow: page.methods.join(', ') });
  };
  return (request, response) => {
    try {
      answer(request, response);
    } catch {
      // A reader's request must not end an agent; its connection shows that it went wrong.
      response.destroy();
    }
  };
}

interface Page {
  methods: string[];
  answer(request: IncomingMessage, response: ServerResponse, query: string): void;
}

/** `token`: tells this process from another one at the same address. */
function pagesOf(contents: Contents, token: string): Record<string, Page> {
  const { assets, source, control: of } = contents;
  const read = (answer: Page['answer']): Page => ({ methods: ['GET', 'HEAD'], answer });
  const always = (asset: Asset) => read((request, response) => send(request, response, asset));
  return {
    ...Object.fromEntries([...assets].map(([path, asset]) => [path, always(asset)])),
    '/machine.json': always(json({ ...machineModel(), layout: readLayout() })),
    '/source.json': read((request, response) =>
      send(request, response, json({ ...source(), token })),
    ),
    '/events': read((...asked) => answerEvents(contents, token, ...asked)),
    ...(of
      ? {
          '/control': {
            methods: ['POST'],
            answer: (request, response) => void answerControl(of, request, response),
          },
        }
      : {}),
  };
}

function answerEvents(
  { feed, heartbeatMs = HEARTBEAT_MS }: Contents,
  token: string,
  request: IncomingMessage,
  response: ServerResponse,
  query: string,
): void {
  const asked = new URLSearchParams(query);
  // A browser that comes back says by the header how far it is; the address stays what it was.
  const after = String(request.headers['last-event-id'] ?? asked.get('after') ?? '0');
  if (!/^\d{1,15}$/.test(after)) {
    say(response, 400, 'after: give the number of a row');
    return;
  }
  response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream; charset=utf-8' });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const isStranger = ![null, '', token].includes(asked.get('source'));
  const isBrief = asked.get('wait') === 'no';
  serveEvents(feed, response, { after: Number(after), isStranger, isBrief, heartbeatMs });
}

async function answerControl(
  of: Control,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { status, text } = await control(of, request);
    if (status === 204) response.writeHead(204, HEADERS).end();
    // What was not read of it ends with the connection.
    else say(response, status, text, { Connection: 'close' });
  } catch {
    // The request broke off: nobody is there to be answered.
    response.destroy();
  }
}
