import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient } from '../../src/kube/client.ts';
import { ApiError } from '../../src/kube/errors.ts';
import { createClock } from '../../src/rehearsal/clock.ts';
import { createNetwork } from '../../src/rehearsal/network.ts';
import { createRandom } from '../../src/rehearsal/random.ts';

const NEVER = new AbortController().signal;

/** A node's client over a network of 10 ms a way; `request` is what the server does. */
function start(request: KubeClient['request']) {
  const clock = createClock(0, 0);
  const network = createNetwork(clock, () => [10, 10]);
  const count = { requests: 0, conflicts: 0 };
  const server: KubeClient = {
    server: 'http://127.0.0.1:40123',
    credentials: 'none',
    authority: 'none',
    request,
    open: () => assert.fail(),
    close: async () => {},
  };
  const client = network.connect(server, 'me', createRandom(1, 'delay'), count);
  return { clock, network, count, client };
}

test('a request takes its delay there and back, and is under way all the time', async () => {
  let carriedOutMs = -1;
  const { clock, network, count, client } = start(async () => {
    carriedOutMs = clock.nowMs();
    return 'answer';
  });
  const seen: unknown[] = [];
  client.request({ method: 'GET', path: '/' }).then((answer) => seen.push(answer, clock.nowMs()));
  assert.equal(network.underWay(), 1);
  clock.setTimeout(() => seen.push(network.underWay()), 19);
  await clock.run(() => network.underWay() === 0, NEVER);
  assert.deepEqual(seen, [1, 'answer', 20]);
  assert.deepEqual([carriedOutMs, count], [10, { requests: 1, conflicts: 0 }]);
});

test('conflicts are counted, and messages name the server without its port', async () => {
  const { clock, network, count, client } = start(async () => {
    throw new ApiError('Patch "http://127.0.0.1:40123/x": dial tcp 127.0.0.1:40123', 409, null);
  });
  const failed = assert.rejects(client.request({ method: 'PATCH', path: '/x' }), {
    code: 409,
    message: 'Patch "http://rehearsal:6443/x": dial tcp rehearsal:6443',
  });
  await clock.run(() => network.underWay() === 0, NEVER);
  await failed;
  assert.deepEqual(count, { requests: 1, conflicts: 1 });
});
