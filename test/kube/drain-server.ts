import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import type { RunEvent } from '../../machines/events.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { drainNode } from '../../src/kube/drain.ts';
import type { DrainInput } from '../../src/kube/drain-input.ts';
import { createClock } from '../../src/rehearsal/clock.ts';
import { scripted, sendJson } from './scripted-server.ts';

export const START_MS = Date.UTC(2026, 11, 1, 4, 0, 0);
export const INPUT: DrainInput = {
  node: 'node-1',
  gracePeriodS: null,
  podSelector: '',
  skipWaitForDeleteTimeoutS: 0,
};

/** A pod as a list has it; `uid` is its name where none is given. */
export interface TestPod {
  metadata: { name: string; namespace: string; uid: string } & Record<string, unknown>;
  [field: string]: unknown;
}

export function pod(name: string, metadata: object = {}, status: object = {}): TestPod {
  return {
    metadata: { name, namespace: 'web', uid: name, labels: { app: name }, ...metadata },
    spec: { nodeName: 'node-1' },
    status: { phase: 'Running', ...status },
  };
}

export function ownedBy(kind: string, name: string): object {
  const owner = { apiVersion: 'apps/v1', kind, name, uid: `uid-${name}`, controller: true };
  return { ownerReferences: [owner] };
}

/** An answer: a status with a Status object's fields. */
export interface Refusal {
  code: number;
  message?: string;
  causes?: { reason: string; message?: string }[];
  retryAfter?: string;
}

export interface Asked {
  atMs: number;
  method: string;
  path: string;
  body: unknown;
}

/** What a test says of its server, and may change at any time. */
export interface Script {
  /** The pods of the node. */
  pods: TestPod[];
  /** Answers an eviction of `name`, asked for the `times`-th time; null: accepted, and gone at once. */
  evict?(name: string, times: number): Refusal | null;
  /** Answers any other request; undefined: as is. */
  other?(path: string): Refusal | object | undefined;
  /** Pods in a page at most. */
  pageMax?: number;
}

/** Drains a node in virtual time, over real requests to a server that follows the script. */
export async function drainServer(t: TestContext, script: Script) {
  const clock = createClock(START_MS, 0);
  const asked: Asked[] = [];
  const times = new Map<string, number>();
  const warnings: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '' } = request;
    const { pathname, searchParams } = new URL(url, 'http://server');
    asked.push({ atMs: clock.nowMs() - START_MS, method, path: url, body: await bodyOf(request) });
    const other = script.other?.(url);
    if (other !== undefined) {
      send(response, other);
      return;
    }
    const [, name] = /\/pods\/([^/]+)\/eviction$/.exec(pathname) ?? [];
    if (name !== undefined) {
      const count = (times.get(name) ?? 0) + 1;
      times.set(name, count);
      const refusal = script.evict?.(name, count) ?? null;
      if (refusal === null) {
        script.pods = script.pods.filter(({ metadata }) => metadata.name !== name);
      }
      send(response, refusal ?? { kind: 'Status', status: 'Success' });
    } else if (pathname === '/api/v1/pods') send(response, page(script, searchParams));
    else send(response, { code: 404, message: 'the server could not find the requested resource' });
  };
  const { client } = await scripted(t, (request, response) => void answer(request, response));
  const timed: KubeClient = {
    ...client,
    request: (spec, signal) => clock.during(client.request(spec, signal)),
  };

  /** Runs for `forMs` at most; the events with the time at which each came. */
  const drain = async (options: Partial<DrainInput> = {}, forMs = 3_600_000) => {
    const events: (RunEvent & { atMs: number })[] = [];
    let isOver = false;
    const input = { ...INPUT, ...options };
    const warn = (message: string) => warnings.push(message.replaceAll(client.server, 'SERVER'));
    const subscription = drainNode(timed, input, clock, warn).subscribe({
      next: (event) => events.push({ ...event, atMs: clock.nowMs() - START_MS }),
      complete: () => {
        isOver = true;
      },
    });
    clock.setTimeout(() => {}, forMs);
    const endMs = clock.nowMs() + forMs;
    const { signal } = new AbortController();
    await clock.run(() => isOver || clock.nowMs() >= endMs, signal);
    subscription.unsubscribe();
    return events;
  };
  const evictions = (name: string) =>
    asked.filter(({ path }) => path.endsWith(`/pods/${name}/eviction`));
  return { clock, asked, evictions, warnings, drain, client };
}

function send(response: ServerResponse, answer: Refusal | object): void {
  if (!('code' in answer)) {
    sendJson(response, 200, answer);
    return;
  }
  const { code, message = `refused with ${code}`, causes = [], retryAfter } = answer as Refusal;
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
  sendJson(response, code, { kind: 'Status', code, message, details: { causes } });
}

function page({ pods, pageMax = 1_000 }: Script, query: URLSearchParams): object {
  const from = Number(query.get('continue') ?? 0);
  const to = from + Math.min(Number(query.get('limit')), pageMax);
  const rest = to < pods.length ? { continue: `${to}` } : {};
  return { kind: 'PodList', metadata: rest, items: pods.slice(from, to) };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? null : JSON.parse(text);
}
