import { once } from 'node:events';
import { Response } from 'undici';
import { SimulatedClock } from 'xstate';
import type { KubeClient } from '../../src/kube/client.ts';
import type { WatchClock } from '../../src/kube/clock.ts';

/** Virtual time for watches and for the machine. */
export interface VirtualTime {
  clock: SimulatedClock;
  watchClock: WatchClock;
  /** Lets `forMs` pass in steps, with what follows from each. */
  pass(forMs: number, stepMs: number): Promise<void>;
}

export function virtualTime(): VirtualTime {
  const clock = new SimulatedClock();
  const watchClock: WatchClock = {
    nowMs: () => clock.now(),
    setTimeout: (run, delayMs) => clock.setTimeout(run, delayMs),
    clearTimeout: (id) => clock.clearTimeout(id as number),
  };
  const pass = async (forMs: number, stepMs: number) => {
    await settle();
    for (let ms = 0; ms < forMs; ms += stepMs) {
      clock.increment(stepMs);
      await settle();
    }
  };
  return { clock, watchClock, pass };
}

/** Promises and streams that wait for nothing outside get as far as they can. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A DaemonSet as far as the lock is made of it. */
export function daemonSet(lock: string | null, resourceVersion: string): unknown {
  const annotations = lock === null ? null : { 'pharos-host-upgrades.kontena.io/lock': lock };
  return { kind: 'DaemonSet', metadata: { name: 'host-upgrades', resourceVersion, annotations } };
}

/** One watch as the server sees it. */
export interface ServedWatch {
  resourceVersion: string;
  send(type: string, object: unknown): void;
  end(): void;
  break(error: Error): void;
}

export interface FakeServer {
  read(): unknown;
  /** 'mute' answers no watch. */
  watch: ((served: ServedWatch) => void) | 'mute';
}

/** As a server answers: with the object as it is now. */
function patched(object: unknown, patch: unknown): unknown {
  const before = object as { metadata: object };
  const { metadata } = patch as { metadata: object };
  return { ...before, metadata: { ...before.metadata, ...metadata } };
}

/** A client whose answers come at once, and when it asked for what. */
export function fakeClient(time: VirtualTime, server: FakeServer) {
  const requests: { atMs: number; what: string }[] = [];
  const open: KubeClient['open'] = async ({ path }, signal) => {
    const resourceVersion = new URLSearchParams(path.split('?')[1]).get('resourceVersion') ?? '';
    requests.push({ atMs: time.clock.now(), what: `watch ${resourceVersion}` });
    const { watch } = server;
    if (watch === 'mute') {
      await once(signal, 'abort');
      throw signal.reason;
    }
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        let isOver = false;
        const over = (how: () => void) => {
          if (!isOver) how();
          isOver = true;
        };
        signal.addEventListener('abort', () => over(() => controller.error(signal.reason)));
        watch({
          resourceVersion,
          send: (type, object) => {
            if (isOver) return;
            controller.enqueue(Buffer.from(`${JSON.stringify({ type, object })}\n`));
          },
          end: () => over(() => controller.close()),
          break: (error) => over(() => controller.error(error)),
        });
      },
    });
    return new Response(body);
  };
  const client: KubeClient = {
    server: 'https://fake',
    credentials: 'none',
    authority: 'none',
    open,
    request: async ({ method, body }) => {
      requests.push({ atMs: time.clock.now(), what: method });
      const object = server.read();
      return method === 'PATCH' ? patched(object, body) : object;
    },
    close: async () => {},
  };
  return { client, requests };
}
