import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP way to a server that can fall silent without closing, as a lost route does. */
export interface Forwarder {
  port: number;
  /** All connections so far carry nothing any more, in either direction; new ones work. */
  freeze(): void;
  /** Cuts all connections so far. */
  cut(): void;
  close(): Promise<void>;
}

export async function startForwarder(to: { host: string; port: number }): Promise<Forwarder> {
  let sockets: Socket[] = [];
  const all = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to.port, to.host);
    for (const socket of [near, far]) {
      all.add(socket);
      socket.on('close', () => all.delete(socket));
      // The other side is told by the pipe's end or by the destruction below.
      socket.on('error', () => socket.destroy());
    }
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.pipe(far);
    far.pipe(near);
    sockets.push(near, far);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => {
      for (const socket of sockets) socket.unpipe().pause();
      sockets = [];
    },
    cut: () => {
      for (const socket of sockets) socket.destroy();
      sockets = [];
    },
    close: async () => {
      server.close();
      for (const socket of all) socket.destroy();
      await once(server, 'close');
    },
  };
}
