import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';

/** Another process holds the socket. */
export class AlreadyRunning extends Error {}

/**
 * Holds the socket at `path` as long as this process lives, so that there are never two of one
 * node: they would share a journal and a lock. What a killed process left is cleared. Returns how
 * to let go. Throws AlreadyRunning, and errors with a code where there can be no socket.
 */
export async function holdAlone(path: string): Promise<() => void> {
  const server = await listen(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    if (await isAnswered(path)) throw new AlreadyRunning(path);
    rmSync(path, { force: true });
    return listen(path);
  });
  // It keeps nobody from ending.
  server.unref();
  return () => void server.close();
}

async function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  server.listen(path);
  await once(server, 'listening');
  return server;
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED' || code === 'ENOENT') return false;
    throw error;
  } finally {
    socket.destroy();
  }
}
