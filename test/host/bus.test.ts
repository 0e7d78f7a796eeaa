import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { BusError, connectBus } from '../../src/host/bus.ts';

describe('a bus that is none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bus-'));
  after(() => rmSync(folder, { recursive: true }));

  /** What connecting to a server that treats its clients like this says. */
  const refusal = async (name: string, treat: (socket: Socket) => void): Promise<string> => {
    const path = join(folder, name);
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      sockets.push(socket);
      treat(socket);
    }).listen(path);
    await once(server, 'listening');
    try {
      const bus = await connectBus(`unix:path=${path}`, 200);
      bus.close();
      return 'connected';
    } catch (error) {
      assert.ok(error instanceof BusError);
      assert.equal(error.name, 'NoBus');
      return error.message.replace(path, 'PATH');
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  };

  test('is not there', async () => {
    const path = join(folder, 'nothing');
    const message = `no system bus at unix:path=${path}: connect ENOENT ${path}; mount the host's /var/run/dbus`;
    await assert.rejects(connectBus(`unix:path=${path}`), { name: 'NoBus', message });
  });

  test('hangs up', async () => {
    const message = await refusal('hangs-up', (socket) => socket.end());
    assert.match(message, /^no system bus at unix:path=PATH: [^\n]+; mount the host's /);
  });

  test('answers nothing', async () => {
    const message = await refusal('silent', () => {});
    assert.match(message, /^no system bus at unix:path=PATH: no answer in 0\.2 s; mount /);
  });

  test('speaks something else', async () => {
    const message = await refusal('other', (socket) => socket.write('HTTP/1.1 400 Bad\r\n\r\n'));
    assert.match(message, /^no system bus at unix:path=PATH: [^\n]+; mount the host's /);
  });

  test('has an address that nobody understands', async () => {
    await assert.rejects(connectBus('carrier-pigeon:to=host', 200), {
      name: 'NoBus',
      message: /^no system bus at carrier-pigeon:to=host: [^\n]+; mount /,
    });
  });
});
