import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP way to the API server on which everything can go wrong. */
export interface FaultyProxy {
  port: number;
  /** To the connections there are: RST, or FIN, to both sides. */
  reset(): void;
  end(): void;
  /** FIN to the client alone: it may still send. */
  halfClose(): void;
  /** They carry nothing any more and are never closed, as when a route is lost. */
  freeze(): void;
  /**
   * For what is sent from now on: `delayMs` each way; `isRefusing`: new connections are reset;
   * `isSilent`: new connections are accepted and carry nothing.
   */
  set(mode: Partial<Mode>): void;
  close(): Promise<void>;
}

interface Mode {
  delayMs: number;
  isRefusing: boolean;
  isSilent: boolean;
}

interface Pair {
  near: Socket;
  far: Socket;
  isFrozen: boolean;
}

/** Forwards connections to `to` from a free port on loopback. */
export async function startProxy(to: { host: string; port: number }): Promise<FaultyProxy> {
  const pairs = new Set<Pair>();
  const mode: Mode = { delayMs: 0, isRefusing: false, isSilent: false };
  let isClosed = false;

  /** One direction: bytes and the end in their order, each as late as the delay has it. */
  const carry = (pair: Pair, from: Socket, into: Socket) => {
    let readyAtMs = 0;
    const late = (what: () => void) => {
      const nowMs = performance.now();
      readyAtMs = Math.max(readyAtMs, nowMs + mode.delayMs);
      const run = () => {
        if (!pair.isFrozen && !isClosed) what();
      };
      if (readyAtMs <= nowMs) run();
      else setTimeout(run, readyAtMs - nowMs);
    };
    from.on('data', (chunk: Buffer) => late(() => into.writable && into.write(chunk)));
    from.on('end', () => late(() => into.end()));
    // What was sent before the connection broke may still arrive; only then the other side learns.
    from.on('close', () => late(() => into.destroy()));
    from.on('error', () => from.destroy());
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (mode.isRefusing) {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ ...to, allowHalfOpen: true });
    const pair = { near, far, isFrozen: mode.isSilent };
    pairs.add(pair);
    near.setNoDelay(true);
    far.setNoDelay(true);
    carry(pair, near, far);
    carry(pair, far, near);
    near.on('close', () => {
      // Nothing else ends the far side of a lost route.
      if (pair.isFrozen) far.destroy();
      if (far.destroyed) pairs.delete(pair);
    });
    far.on('close', () => near.destroyed && pairs.delete(pair));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const each = (what: (pair: Pair) => void) => {
    for (const pair of pairs) what(pair);
  };
  return {
    port: (server.address() as AddressInfo).port,
    reset: () =>
      each(({ near, far }) => {
        near.resetAndDestroy();
        far.resetAndDestroy();
      }),
    end: () =>
      each(({ near, far }) => {
        near.end();
        far.end();
      }),
    halfClose: () => each(({ near }) => near.end()),
    freeze: () =>
      each((pair) => {
        pair.isFrozen = true;
      }),
    set: (next) => void Object.assign(mode, next),
    async close() {
      isClosed = true;
      server.close();
      each(({ near, far }) => {
        near.destroy();
        far.destroy();
      });
      await once(server, 'close');
    },
  };
}
