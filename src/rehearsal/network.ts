import { Response } from 'undici';
import type { KubeClient } from '../kube/client.ts';
import { ApiError } from '../kube/errors.ts';
import type { VirtualClock } from './clock.ts';
import { createDelivery, type Delivery } from './delivery.ts';
import type { Random } from './random.ts';

/** Least and most ms for one way. */
export type Delay = readonly [number, number];

/** What a node has asked of the API server. */
export interface Count {
  requests: number;
  /** Requests that were answered 409. */
  conflicts: number;
}

/** The way between the nodes and the API server: real requests, with delays in virtual time. */
export interface Network {
  /** The client of a node, with its delays drawn from `random` and its requests counted. */
  connect(client: KubeClient, userAgent: string, random: Random, count: Count): KubeClient;
  /** For the API server's `onWatch`. */
  watchOpened(userAgent: string): () => void;
  /** All open watches go silent: nothing comes through, and no end. */
  freezeWatches(): void;
  /** Requests that have set out and whose answers are not back. */
  underWay(): number;
}

/** How messages name the server: its port is another one each time. */
const SERVER_NAME = 'rehearsal:6443';

export function createNetwork(clock: VirtualClock, delay: () => Delay): Network {
  const drawDelays = new Map<string, () => number>();
  const deliveries = new Map<string, Delivery>();
  let underWay = 0;

  return {
    connect(client, userAgent, random, count) {
      const delayMs = () => random.between(...delay());
      drawDelays.set(userAgent, delayMs);
      const send = async <T>(request: () => Promise<T>): Promise<T> => {
        count.requests += 1;
        underWay += 1;
        await clock.sleep(delayMs());
        try {
          return await clock.during(request());
        } catch (error) {
          if (error instanceof ApiError && error.code === 409) count.conflicts += 1;
          throw withoutPort(error, client.server);
        } finally {
          await clock.sleep(delayMs());
          underWay -= 1;
        }
      };
      const open: KubeClient['open'] = async (spec, signal) => {
        signal.throwIfAborted();
        const response = await client.open(spec, signal);
        const delivery = deliveries.get(userAgent);
        if (!response.body || !delivery) return response;
        return new Response(delivery.receive(response.body, signal), { status: response.status });
      };
      return {
        ...client,
        // Who no longer wants the answer cannot take back what is on its way.
        request: (spec) => send(() => client.request(spec)),
        open: (spec, signal) => send(() => open(spec, signal)),
      };
    },
    watchOpened(userAgent) {
      const delivery = createDelivery(clock, drawDelays.get(userAgent) ?? (() => 0));
      deliveries.set(userAgent, delivery);
      return delivery.sending;
    },
    freezeWatches() {
      for (const delivery of deliveries.values()) delivery.freeze();
    },
    underWay: () => underWay,
  };
}

function withoutPort(error: unknown, server: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const message = error.message.replaceAll(new URL(server).host, SERVER_NAME);
  return new ApiError(message, error.code, error.retryAfterS, error.cause, error.details);
}
