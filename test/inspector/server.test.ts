import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { readLayout } from '../../src/diagram/layout.ts';
import { machineModel } from '../../src/diagram/model.ts';
import { AssetsError, readAssets } from '../../src/inspector/assets.ts';
import { createFeed } from '../../src/inspector/feed.ts';
import { InspectorError, startInspector } from '../../src/inspector/server.ts';
import { poll } from '../cluster/cluster.ts';
import { ask } from './ask.ts';
import { readEvents } from './reader.ts';
import { SOURCE, STUBS, serving } from './serving.ts';

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PATHS = ['/', '/app.js', '/app.css', '/machine.json', '/source.json'];

test('the page, the machine and what is shown, each with its type', () =>
  serving({}, async ({ url }) => {
    const get = async (path: string) => (await ask(url + path.slice(1))).text;
    assert.equal(await get('/'), STUBS['index.html']);
    assert.equal(await get('/app.js'), STUBS['app.js']);
    assert.equal(await get('/app.css'), STUBS['app.css']);
    assert.deepEqual(JSON.parse(await get('/machine.json')), {
      ...machineModel(),
      layout: readLayout(),
    });
    const { token, ...source } = JSON.parse(await get('/source.json'));
    assert.deepEqual(source, SOURCE);
    assert.match(token, /^[0-9a-f]{16}$/);
    const types = await Promise.all(PATHS.map((path) => ask(url + path.slice(1))));
    assert.deepEqual(
      types.map(({ headers }) => headers['content-type']?.split(';')[0]),
      ['text/html', 'text/javascript', 'text/css', 'application/json', 'application/json'],
    );
  }));

test('every answer has the headers that keep the page to itself, and no cookie', () =>
  serving({}, async ({ url }) => {
    const events = await readEvents(`${url}events`);
    events.close();
    const answers = await Promise.all([
      ...PATHS.map((path) => ask(url + path.slice(1))),
      ask(`${url}nowhere`),
      ask(url, { method: 'DELETE' }),
      ask(url, { headers: { host: 'evil.example' } }),
    ]);
    for (const { headers } of [events, ...answers]) {
      assert.equal(headers['content-security-policy'], CSP);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['set-cookie'], undefined);
      assert.equal(headers['access-control-allow-origin'], undefined);
    }
  }));

test('compressed where that is accepted, and only there', () =>
  serving({}, async ({ url }) => {
    const path = `${url}app.js`;
    const gzipped = await ask(path, { headers: { 'accept-encoding': 'br, gzip' } });
    assert.equal(gzipped.headers['content-encoding'], 'gzip');
    assert.equal(gunzipSync(gzipped.body).toString(), STUBS['app.js']);
    for (const headers of [{}, { 'accept-encoding': 'br' }, { 'accept-encoding': 'gzip;q=0' }]) {
      const plain = await ask(path, { headers });
      assert.deepEqual(
        [plain.headers['content-encoding'], plain.text],
        [undefined, STUBS['app.js']],
      );
    }
  }));

test('a request by another name is refused with one line (DNS rebinding)', () =>
  serving({}, async ({ url }) => {
    const { port } = new URL(url);
    const by = (host: string, path = '') => ask(url + path, { headers: { host } });
    for (const name of ['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]']) {
      assert.equal((await by(`${name}:${port}`)).status, 200, name);
    }
    const foreign = [
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `localhost.:${port}`,
      'localhost',
      '127.0.0.1:1',
      `10.0.0.1:${port}`,
    ];
    for (const host of foreign) {
      for (const path of ['', 'source.json', 'events', 'control']) {
        const { status, text } = await by(host, path);
        assert.deepEqual([status, text.split('\n').length], [403, 2], `${host} ${path}`);
        assert.match(text, new RegExp(`open http://localhost:${port}/`));
      }
    }
    const nameless = connect(Number(port), '127.0.0.1').setEncoding('utf8');
    nameless.write('GET /source.json HTTP/1.0\r\n\r\n');
    const [head] = await once(nameless, 'data');
    assert.match(head, /^HTTP\/1\.1 403 /);
    nameless.destroy();
  }));

test('only GET and HEAD; HEAD has no body; what is not there is 404', () =>
  serving({}, async ({ url }) => {
    for (const path of [...PATHS, '/events']) {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        const { status, headers } = await ask(url + path.slice(1), { method });
        assert.deepEqual([status, headers.allow], [405, 'GET, HEAD'], `${method} ${path}`);
      }
      const { status, text } = await ask(url + path.slice(1), { method: 'HEAD' });
      assert.deepEqual([status, text], [200, ''], path);
    }
    for (const path of ['nowhere', 'control', '../package.json', 'toString', '__proto__']) {
      assert.equal((await ask(url + path)).status, 404, path);
    }
  }));

test('a page that is not built is one line that says how to build it', () => {
  const folder = mkdtempSync(`${tmpdir()}/empty-`);
  try {
    assert.throws(
      () => readAssets(folder),
      (error) => {
        assert.ok(error instanceof AssetsError);
        assert.match(error.message, /^[^\n]*index\.html: ENOENT[^\n]*npm run build[^\n]*$/);
        return true;
      },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a port that is taken is one line, or another port where any will do', async () => {
  const taken = createServer().listen({ host: '127.0.0.1', port: 0 });
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const contents = { assets: new Map(), feed: createFeed(), source: () => SOURCE };
  const address = { host: '127.0.0.1', port };
  try {
    await assert.rejects(
      startInspector({ ...address, isPortFree: false }, contents),
      (error) =>
        error instanceof InspectorError &&
        error.message ===
          `127.0.0.1:${port}: cannot be listened on (EADDRINUSE): it is in use; give another port`,
    );
    const other = await startInspector({ ...address, isPortFree: true }, contents);
    assert.notEqual(new URL(other.url).port, String(port));
    assert.equal((await ask(`${other.url}source.json`)).status, 200);
    await other.close();
    await assert.rejects(
      startInspector({ host: '192.0.2.1', port: 0, isPortFree: true }, contents),
      /192\.0\.2\.1:0: cannot be listened on \(EADDRNOTAVAIL\): give another address/,
    );
  } finally {
    taken.close();
  }
});

test('on all addresses it answers by the address that the request came to', async () => {
  const contents = { assets: new Map(), feed: createFeed(), source: () => SOURCE };
  const inspector = await startInspector({ host: '0.0.0.0', port: 0, isPortFree: false }, contents);
  try {
    const { port } = new URL(inspector.url);
    assert.equal(inspector.url, `http://localhost:${port}/`);
    const own = `127.0.0.2:${port}`;
    assert.equal((await ask(`http://${own}/source.json`)).status, 200);
    const answer = await ask(`http://${own}/source.json`, { headers: { host: '127.0.0.3' } });
    assert.equal(answer.status, 403);
  } finally {
    await inspector.close();
  }
});

test('two Host headers are refused, whatever they say', () =>
  serving({}, async ({ url }) => {
    const { port } = new URL(url);
    const own = `127.0.0.1:${port}`;
    for (const hosts of [
      [own, own],
      [own, 'evil.example'],
    ]) {
      const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
      const lines = hosts.map((host, at) => `${at === 0 ? 'Host' : 'host'}: ${host}\r\n`).join('');
      socket.write(`GET /source.json HTTP/1.1\r\n${lines}\r\n`);
      const [head] = await once(socket, 'data');
      assert.match(head, /^HTTP\/1\.1 400 /);
      socket.destroy();
    }
  }));

test('connections that ask for nothing do not keep others out', () =>
  serving({}, async ({ url }) => {
    const { port } = new URL(url);
    const idle = await Promise.all(
      Array.from({ length: 64 }, async (_, at) => {
        const socket = connect(Number(port), '127.0.0.1');
        socket.on('error', () => {});
        await once(socket, 'connect');
        // Some ask for nothing, others never come to an end.
        if (at % 2 === 0) socket.write('GET / HTTP/1.1\r\nHost: ');
        return socket;
      }),
    );
    const isServed = async () => {
      try {
        return (await ask(url)).status === 200;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ECONNRESET') return false;
        throw error;
      }
    };
    assert.equal(await isServed(), false);
    await poll(isServed, 15_000);
    for (const socket of idle) socket.destroy();
  }));
