import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { SimulatedClock } from 'xstate';
import { type ApiServerOptions, startApiServer } from '../../src/rehearsal/apiserver.ts';
import {
  compact,
  createObjects,
  DAEMON_SET,
  NAMESPACE,
  touchDaemonSet,
} from '../../src/rehearsal/cluster.ts';

const COLLECTION = `/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets`;

async function started(options: Partial<ApiServerOptions> = {}) {
  const server = await startApiServer({ token: 't', ...options });
  createObjects(server.store, ['node-1']);
  const get = (path: string) =>
    fetch(`${server.url}${path}`, { headers: { authorization: 'Bearer t', 'user-agent': 'me' } });
  return { server, get };
}

test('a paused server refuses connections; resumed, it has port and objects again', async () => {
  const { server, get } = await started();
  const path = `${COLLECTION}/${DAEMON_SET}`;
  const watch = await get(`${COLLECTION}?watch=true`);
  await server.pause();
  await assert.rejects(watch.text());
  await assert.rejects(get(path), ({ cause }: Error) => {
    assert.equal((cause as NodeJS.ErrnoException).code, 'ECONNREFUSED');
    return true;
  });
  await server.resume();
  assert.equal((await get(path)).status, 200);
  await server.close();
});

test('a port that is taken while the server is away is one clear error', async () => {
  const { server } = await started();
  await server.pause();
  const other = createServer().listen(Number(new URL(server.url).port), '127.0.0.1');
  await once(other, 'listening');
  await assert.rejects(server.resume(), /Error: port \d+ was taken .*EADDRINUSE/);
  other.close();
  await server.close();
});

test('each row and the end of a watch are announced ahead', async () => {
  const announced: string[] = [];
  const { server, get } = await started({
    onWatch: (userAgent) => () => announced.push(userAgent),
  });
  const watch = await get(`${COLLECTION}?watch=true`);
  touchDaemonSet(server.store);
  touchDaemonSet(server.store);
  server.dropWatches();
  const rows = (await watch.text()).trimEnd().split('\n');
  assert.equal(rows.length, 2);
  assert.deepEqual(announced, ['me', 'me', 'me']);
  await server.close();
});

test('bookmarks and the time limit of a watch follow the timers given', async () => {
  const clock = new SimulatedClock();
  const timers = {
    setTimeout: (run: () => void, delayMs: number) => clock.setTimeout(run, delayMs),
    clearTimeout: (id: unknown) => clock.clearTimeout(id as number),
  };
  const { server, get } = await started({ timers, bookmarkMs: 1_000 });
  const watch = await get(`${COLLECTION}?watch=true&allowWatchBookmarks=true&timeoutSeconds=3`);
  // Past the end: who has ended writes no more.
  for (let second = 0; second < 6; second += 1) clock.increment(900);
  touchDaemonSet(server.store);
  const rows = (await watch.text()).trimEnd().split('\n');
  assert.deepEqual(
    rows.map((row) => (JSON.parse(row) as { type: string }).type),
    ['BOOKMARK', 'BOOKMARK'],
  );
  await server.close();
});

test('after compact a watch from the version just read is gone', async () => {
  const { server, get } = await started();
  compact(server.store, 'node-1');
  const read = (await (await get(`${COLLECTION}/${DAEMON_SET}`)).json()) as {
    metadata: { resourceVersion: string };
  };
  const { resourceVersion } = read.metadata;
  const watch = await get(`${COLLECTION}?watch=true&resourceVersion=${resourceVersion}`);
  assert.match(await watch.text(), /^\{"type":"ERROR","object":\{.*"code":410\}\}\n$/);
  await server.close();
});

test('with isClosing every answer ends its connection', async () => {
  const { server, get } = await started({ isClosing: true });
  assert.equal((await get(COLLECTION)).headers.get('connection'), 'close');
  await server.close();
});
