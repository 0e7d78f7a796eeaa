import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Health, HealthError, startHealth } from '../../src/service/health.ts';

const HOST = '127.0.0.1';
const FINE: Health = {
  words: 'upgrading since 2026-12-01T03:00:07Z',
  isAlive: true,
  isReady: true,
};

/** Asks a server in the given state; the answer in one line. */
async function ask(path: string, state: () => Health, method = 'GET'): Promise<string> {
  const server = await startHealth({ port: 0, host: HOST, state });
  try {
    const answer = await fetch(`http://${HOST}:${server.port}${path}`, { method });
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
    return `${answer.status} ${await answer.text()}`;
  } finally {
    await server.close();
  }
}

test('/healthz and /readyz say in words what the node is doing', async () => {
  assert.equal(await ask('/healthz', () => FINE), `200 ${FINE.words}\n`);
  assert.equal(await ask('/readyz', () => FINE), `200 ${FINE.words}\n`);
  assert.equal(await ask('/readyz?verbose', () => FINE), `200 ${FINE.words}\n`);
  const waiting = { ...FINE, words: 'connecting to the API server', isReady: false };
  assert.equal(await ask('/healthz', () => waiting), '200 connecting to the API server\n');
  assert.equal(await ask('/readyz', () => waiting), '503 connecting to the API server\n');
  const dead = { ...FINE, words: 'stuck', isAlive: false };
  assert.equal(await ask('/healthz', () => dead), '500 stuck\n');
});

test('a state that cannot be told is no good state, and no stack', async () => {
  const broken = () => {
    throw new Error('out of words\nat somewhere');
  };
  const text = 'cannot tell what the node is doing: out of words\n';
  assert.equal(await ask('/healthz', broken), `500 ${text}`);
  assert.equal(await ask('/readyz', broken), `503 ${text}`);
});

test('there is nothing else to be had', async () => {
  for (const path of ['/', '/healthz/', '/metrics', '/../healthz2', '//healthz']) {
    assert.equal(await ask(path, () => FINE), '404 not found; there are /healthz and /readyz\n');
  }
  assert.equal(await ask('/healthz', () => FINE, 'POST'), '405 only GET\n');
  assert.equal(await ask('/healthz', () => FINE, 'HEAD'), '200 ');
});

test('a port that cannot be had is one line', async () => {
  const other = createServer().listen(0, HOST);
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const problem = async (number: number) => {
    const error = await startHealth({ port: number, host: HOST, state: () => FINE }).then(
      () => assert.fail('it could be had'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof HealthError, String(error));
    return error.message;
  };
  assert.equal(
    await problem(port),
    `--health-port=${port}: cannot be listened on (EADDRINUSE): it is in use; give another one`,
  );
  for (const number of [-1, 65_536, 1.5, Number.NaN]) {
    assert.equal(
      await problem(number),
      `--health-port=${number}: not a port; give a number from 1 to 65535, or 0 for none`,
    );
  }
  await once(other.close(), 'close');
});

test('closing ends connections on which nothing was asked, too', async () => {
  const server = await startHealth({ port: 0, host: HOST, state: () => FINE });
  const socket = connect(server.port, HOST);
  await once(socket, 'connect');
  const ended = once(socket, 'close');
  socket.on('error', () => {});
  await server.close();
  await ended;
});

test('it keeps no process from ending', () => {
  const path = fileURLToPath(new URL('../../src/service/health.ts', import.meta.url));
  const script = `import { startHealth } from ${JSON.stringify(path)};
    await startHealth({ port: 0, host: '${HOST}', state: () => null });
    console.log('listening');`;
  const { status, stdout, signal } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', script],
    { encoding: 'utf8', timeout: 30_000 },
  );
  assert.deepEqual({ status, stdout, signal }, { status: 0, stdout: 'listening\n', signal: null });
});
