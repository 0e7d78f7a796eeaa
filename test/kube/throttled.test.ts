import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { ClientOptions } from '../../src/kube/client.ts';
import { ApiError } from '../../src/kube/errors.ts';
import { acquireLock, readLock } from '../../src/kube/lock.ts';
import { persistently } from '../../src/kube/retry.ts';
import { inputOf, one } from './objects.ts';
import { scripted, sendJson } from './scripted-server.ts';
import { daemonSet } from './virtual.ts';

const INPUT = inputOf('host-upgrades', { value: '', resourceVersion: '7' });
const TOO_MANY = {
  kind: 'Status',
  code: 429,
  message: 'too many requests, please try again later',
};

function refuse(response: ServerResponse, code: number, retryAfter: string | null): void {
  if (retryAfter !== null) response.setHeader('retry-after', retryAfter);
  sendJson(response, code, TOO_MANY);
}

/** A server that refuses the first `times` requests. */
function throttling(
  t: TestContext,
  times: number,
  code: number,
  retryAfter: string | null,
  options: Partial<ClientOptions> = {},
) {
  let left = times;
  const answer = (_: unknown, response: ServerResponse) => {
    left -= 1;
    if (left >= 0) refuse(response, code, retryAfter);
    else sendJson(response, 200, daemonSet('node-1', '8'));
  };
  return scripted(t, answer, options);
}

test('a refusal that says when to come again is not a failure', async (t) => {
  const { client, requests } = await throttling(t, 1, 429, '0');
  assert.equal((await one(acquireLock(client, INPUT))).type, 'lock.updated');
  assert.equal(requests.length, 2);
});

test('only flow control is sure to have done nothing', async (t) => {
  const { client, requests } = await throttling(t, 1, 503, '0');
  assert.equal((await one(acquireLock(client, INPUT))).type, 'api.failed');
  assert.equal(requests.length, 1);
});

test('it is not asked again before that time, and by half as much later', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let attempts = 0;
  const refusing = async () => {
    attempts += 1;
    throw new ApiError('too many requests', 429, 10);
  };
  const giveUp = new AbortController();
  const result = persistently(refusing, { unauthorizedPausesMs: [], signal: giveUp.signal }).catch(
    (error: Error) => error.message,
  );
  const after = async (ms: number) => {
    t.mock.timers.tick(ms);
    await new Promise(setImmediate);
    return attempts;
  };
  assert.equal(await after(0), 1);
  assert.equal(await after(9_999), 1);
  assert.equal(await after(5_001), 2);
  giveUp.abort();
  assert.equal(await result, 'too many requests');
});

test('a server that goes on refusing is a failure with its words, after a few times', async (t) => {
  const { client, requests } = await throttling(t, 99, 429, '0');
  assert.deepEqual(await one(readLock(client, INPUT)), {
    type: 'api.failed',
    message: `Get: ${TOO_MANY.message}`,
    code: 429,
  });
  assert.equal(requests.length, 4);
});

test('the wait ends at the request’s limit, and the refusal is told', async (t) => {
  const { client, requests } = await throttling(t, 99, 429, '20', { requestTimeoutMs: 200 });
  const event = await one(readLock(client, INPUT));
  assert.equal('message' in event && event.message, `Get: ${TOO_MANY.message}`);
  assert.equal(requests.length, 1);
});

test('without a time, or with one that is none or too far, it is a failure at once', async (t) => {
  for (const retryAfter of [null, '3600', '-1', 'soon', 'Wed, 21 Oct 2026 07:28:00 GMT']) {
    const { client, requests } = await throttling(t, 1, 429, retryAfter);
    assert.equal((await one(readLock(client, INPUT))).type, 'api.failed', `${retryAfter}`);
    assert.equal(requests.length, 1, `${retryAfter}`);
  }
});

test('a 429 that may mean something else is given to whoever asked', async (t) => {
  const { client, requests } = await throttling(t, 1, 429, '0');
  await assert.rejects(client.request({ method: 'POST', path: '/', is429Final: true }), {
    message: TOO_MANY.message,
    code: 429,
    retryAfterS: 0,
  });
  assert.equal(requests.length, 1);
});
