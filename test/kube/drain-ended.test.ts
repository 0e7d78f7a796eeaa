import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { RunEvent } from '../../machines/events.ts';
import { WALL_CLOCK, type WatchClock } from '../../src/kube/clock.ts';
import { drainNode } from '../../src/kube/drain.ts';
import { drainServer, INPUT, pod } from './drain-server.ts';
import { all } from './objects.ts';
import { scripted, sendJson } from './scripted-server.ts';

/** Fifty times as fast as life. */
const FAST_CLOCK: WatchClock = {
  ...WALL_CLOCK,
  setTimeout: (run, delayMs) => WALL_CLOCK.setTimeout(run, delayMs / 50),
};
const pods = (count: number) => Array.from({ length: count }, (_, index) => pod(`web-${index}`));
const list = (count: number) => ({ kind: 'PodList', metadata: {}, items: pods(count) });

test('nothing is left of a drain that is given up between its requests', async (t) => {
  const { drain, clock, asked, warnings } = await drainServer(t, {
    pods: [...pods(3), pod('finished', {}, { phase: 'Failed' })],
    evict: () => ({ code: 429 }),
  });
  const events = await drain({}, 62_000);
  assert.equal(events.length, 3);
  const requests = asked.length;
  await assert.rejects(
    clock.run(() => false, new AbortController().signal),
    /nothing is left/,
  );
  assert.equal(asked.length, requests);
  assert.equal(warnings.length, 1);
});

test('the requests of a drain that is given up are given up, and nobody is told', async (t) => {
  const open: ServerResponse[] = [];
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const { client, requests } = await scripted(t, ({ method }, response) => {
    if (method === 'GET') return sendJson(response, 200, list(12));
    open.push(response);
    if (open.length === 10) resolve();
  });
  const events: RunEvent[] = [];
  const subscription = drainNode(client, INPUT, WALL_CLOCK, assert.fail).subscribe({
    next: (event) => events.push(event),
    error: assert.fail,
    complete: assert.fail,
  });
  await enough;
  const closed = Promise.all(open.map((response) => once(response, 'close')));
  subscription.unsubscribe();
  await closed;
  await client.request({ method: 'GET', path: '/' });
  // The two that waited for their turn were never sent.
  assert.equal(requests.filter(({ method }) => method === 'POST').length, 10);
  assert.deepEqual(events, []);
});

test('a drain that has failed gives up the requests of the other pods', async (t) => {
  const open: ServerResponse[] = [];
  const { client } = await scripted(t, ({ method, url = '' }, response) => {
    if (method === 'GET') return sendJson(response, 200, list(3));
    if (!url.includes('web-2')) return void open.push(response);
    sendJson(response, 403, { kind: 'Status', message: 'denied' });
  });
  const events = await all(drainNode(client, INPUT, WALL_CLOCK, assert.fail));
  assert.deepEqual(events, [
    { type: 'drain.failed', message: 'pod web/web-2 cannot be evicted: denied' },
  ]);
  await Promise.all(open.map((response) => response.closed || once(response, 'close')));
});

test('a broken connection is no refusal by a budget, and is tried again', async (t) => {
  let times = 0;
  const { client } = await scripted(t, ({ method, socket }, response) => {
    times += method === 'POST' ? 1 : 0;
    if (method === 'POST' && times === 1) socket.destroy();
    else if (method === 'GET') sendJson(response, 200, list(times > 1 ? 0 : 1));
    else sendJson(response, 201, { kind: 'Status' });
  });
  const [blocked, ...events] = await all(drainNode(client, INPUT, FAST_CLOCK, assert.fail));
  assert.ok(blocked?.type === 'pod.blocked');
  assert.equal(blocked.budget, null);
  assert.match(blocked.message, /^Post "http.*\/pods\/web-0\/eviction": /);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['pod.evicted', 'pod.gone', 'node.drained'],
  );
});

test('a pod that is gone before its eviction is answered was evicted first', async (t) => {
  let answer = () => {};
  let lists = 0;
  const { client } = await scripted(t, ({ method }, response) => {
    if (method === 'POST') {
      answer = () => sendJson(response, 201, { kind: 'Status' });
      return;
    }
    lists += 1;
    sendJson(response, 200, list(lists === 1 ? 1 : 0));
    if (lists === 3) answer();
  });
  const events = await all(drainNode(client, INPUT, FAST_CLOCK, assert.fail));
  assert.deepEqual(
    events.map(({ type }) => type),
    ['pod.evicted', 'pod.gone', 'node.drained'],
  );
});

test('a full node costs no warning of Node’s about listeners', async (t) => {
  const given: Error[] = [];
  const note = (warning: Error) => given.push(warning);
  process.on('warning', note);
  t.after(() => process.off('warning', note));
  const { drain } = await drainServer(t, { pods: pods(250), evict: () => ({ code: 429 }) });
  const events = await drain({}, 1_000);
  assert.equal(events.length, 250);
  assert.deepEqual(given, []);
});
