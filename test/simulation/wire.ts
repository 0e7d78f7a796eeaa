import { Response } from 'undici';
import type { KubeClient, RequestSpec } from '../../src/kube/client.ts';
import { type ApiError, networkError, statusError } from '../../src/kube/errors.ts';
import { type Api, statusOf, verbOf } from '../../src/rehearsal/api.ts';
import type { VirtualClock } from '../../src/rehearsal/clock.ts';
import type { Json } from '../../src/rehearsal/objects.ts';
import type { Random } from '../../src/rehearsal/random.ts';
import { DAEMON_SETS, type Route, route } from '../../src/rehearsal/routes.ts';
import { StatusError } from '../../src/rehearsal/store.ts';
import { lockOf } from './lock-of.ts';
import type { Fate } from './plan.ts';
import { openRows, type Rows } from './rows.ts';

/** What a process is to the wire. */
export interface Link {
  node: string;
  isAlive(): boolean;
  /** A request that changes something sets out, or has been carried out; the process may die of it. */
  effect(side: 'before' | 'after', what: string, state: string): void;
  /** Of the run: what a request has been sent in. */
  state(): string;
  /** The lock as an answer or a watch has told it. */
  sawLock(value: string): void;
}

/** A request with any method; the original's program sends PUTs. */
export interface WireRequest extends Omit<RequestSpec, 'method'> {
  method: RequestSpec['method'] | 'PUT';
}

/** The way between the nodes and the API server, with all that can happen on it, in virtual time. */
export interface Wire {
  connect(link: Link): KubeClient;
  send(link: Link, request: WireRequest, signal?: AbortSignal): Promise<unknown>;
  isDown: boolean;
  /** What watches are late by, ms. */
  lagMs: number;
  /** How requests fare now; the first that draws one decides. */
  fates: { node: string | null; fate: Fate; share: number }[];
  /** All watches end: with an error where the server dies. */
  dropWatches(isError: boolean): void;
  freezeWatches(): void;
  /** Requests that were sent, by node. */
  counts: Map<string, number>;
}

const SERVER = 'https://simulation:6443';
const TIMEOUT_MS = 30_000;
const DELAY_MS = [1, 5] as const;
const SLOW_MS = [2_000, 20_000] as const;
const LATE_MS = [31_000, 90_000] as const;
const REFUSALS: readonly [number, string][] = [
  [500, 'etcdserver: leader changed'],
  [503, 'the server is currently unable to handle the request'],
  [429, 'too many requests, please try again later'],
];

const FORBIDDEN = JSON.stringify({ kind: 'Status', message: 'not by this role', code: 403 });

export interface WireOptions {
  api: Api;
  clock: VirtualClock;
  random: Random;
  /** Whatever is written meanwhile is this node's. */
  as<T>(node: string, write: () => T): T;
}

export function createWire({ api, clock, random, as }: WireOptions): Wire {
  const open = new Set<Rows>();
  const counts = new Map<string, number>();

  const fateOf = (node: string): Fate | null =>
    wire.fates.find((one) => (one.node === null || one.node === node) && random.next() < one.share)
      ?.fate ?? null;
  const delayMs = (fate: Fate | null) => {
    const [least, most] = fate === 'slow' ? SLOW_MS : fate === 'late' ? LATE_MS : DELAY_MS;
    return random.between(least, most);
  };

  /** Takes a request there and its outcome back; a process that has died hears of nothing. */
  const travel = <T>(
    link: Link,
    request: WireRequest,
    signal: AbortSignal | undefined,
    arrive: (target: Route) => T,
  ): Promise<T> =>
    new Promise((resolve, reject) => {
      const { method, path } = request;
      counts.set(link.node, (counts.get(link.node) ?? 0) + 1);
      const url = `${SERVER}${path}`;
      const timer = clock.setTimeout(
        () => fail(new DOMException('no answer within 30 s', 'TimeoutError')),
        request.timeoutMs ?? TIMEOUT_MS,
      );
      let isSettled = false;
      const settle = (done: () => void) => {
        if (isSettled) return;
        isSettled = true;
        clock.clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        if (link.isAlive()) done();
      };
      const fail = (error: unknown) =>
        settle(() => reject(isApiError(error) ? error : networkError(method, url, error)));
      const abort = () => fail(signal?.reason);
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort);
      const isChange = method !== 'GET' && !path.includes('subjectaccessreviews');
      // Also of a late one: it is the fault's state, wherever the run has come meanwhile.
      const state = link.state();
      if (isChange) link.effect('before', `${method} ${path}`, state);
      if (!link.isAlive()) return settle(() => {});
      const fate = fateOf(link.node);
      const back = (done: () => void) => void clock.setTimeout(done, delayMs(fate));
      clock.setTimeout(() => {
        if (fate === 'hangs-before') return;
        if (wire.isDown) return back(() => fail(socketError('ECONNREFUSED')));
        if (fate === 'reset') return back(() => fail(socketError('ECONNRESET')));
        if (fate === 'refused') return back(() => fail(statusError(...refusal(random), null)));
        if (fate === 'forbidden') return back(() => fail(statusError(403, FORBIDDEN, null)));
        let result: T;
        try {
          result = as(link.node, () => arrive(route(path)));
        } catch (error) {
          if (!(error instanceof StatusError)) throw error;
          const refused = statusError(error.code, JSON.stringify(statusOf(error)), null);
          return back(() => fail(refused));
        }
        if (isChange) link.effect('after', `${method} ${path}`, state);
        if (fate === 'lost') return back(() => fail(socketError('ECONNRESET')));
        if (fate !== 'hangs-after') back(() => settle(() => resolve(result)));
      }, delayMs(fate));
    });

  const send: Wire['send'] = async (link, request, signal) => {
    const { method, body, contentType } = request;
    const answer = await travel(link, request, signal, (target): Json => {
      const json = body === undefined ? null : (structuredClone(body) as Json);
      return api.execute(verbOf(method, target), target, json, contentType);
    });
    const copy = structuredClone(answer);
    const lock = lockOf(copy);
    if (lock !== null) link.sawLock(lock);
    return copy;
  };

  const watch = async (link: Link, request: WireRequest, signal: AbortSignal) => {
    const rows = openRows({
      clock,
      signal,
      delayMs: () => random.between(...DELAY_MS) + wire.lagMs,
      isAlive: link.isAlive,
      onObject: (object) => {
        const lock = lockOf(object);
        if (lock !== null) link.sawLock(lock);
      },
      onClosed: () => open.delete(rows),
    });
    await travel(link, request, signal, (target) => {
      if (target.resource.qualified !== DAEMON_SETS.qualified) throw new Error('not watched here');
      open.add(rows);
      rows.follow((sink) => api.watch(target, sink));
    });
    return new Response(rows.stream, { status: 200 });
  };

  const wire: Wire = {
    isDown: false,
    lagMs: 0,
    fates: [],
    counts,
    send,
    connect: (link) => ({
      server: SERVER,
      credentials: 'the simulation',
      authority: 'the simulation',
      request: (spec, signal) => send(link, spec, signal),
      open: (spec, signal) => watch(link, spec, signal),
      close: async () => {},
    }),
    dropWatches(isError) {
      for (const rows of [...open]) rows.cut(isError ? socketError('ECONNRESET') : null);
    },
    freezeWatches() {
      for (const rows of open) rows.freeze();
    },
  };
  return wire;
}

function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && 'retryAfterS' in error;
}

function refusal(random: Random): [number, string] {
  const [code, message] = random.pick(REFUSALS);
  return [code, JSON.stringify({ kind: 'Status', message, code })];
}

function socketError(code: 'ECONNREFUSED' | 'ECONNRESET'): Error {
  return Object.assign(new Error(code), { code });
}
