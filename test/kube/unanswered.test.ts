import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { acquireLock, readLock, releaseLock } from '../../src/kube/lock.ts';
import { createNode } from '../../src/kube/node.ts';
import { WATCH_LIMITS, watchLock } from '../../src/kube/watch.ts';
import { all, inputOf, one } from './objects.ts';
import { scripted } from './scripted-server.ts';

const INPUT = inputOf('host-upgrades', { value: '', resourceVersion: '7' });
const REPORT = {
  node: 'node-1',
  status: { rebootRequired: false, detail: '' },
  error: null,
};

/** What a server may do instead of answering. */
const SERVERS: Record<string, (response: ServerResponse) => void> = {
  'accepts and never answers': () => {},
  'sends headers and half a body': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"kind":"Daemon');
  },
  'sends a body that never ends': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const drip = () => {
      if (!response.destroyed) response.write(' ', () => setImmediate(drip));
    };
    drip();
  },
};

for (const [name, answer] of Object.entries(SERVERS)) {
  describe(`a server that ${name}`, () => {
    for (const [call, verb] of [
      [readLock, 'Get'],
      [acquireLock, 'Patch'],
      [releaseLock, 'Patch'],
    ] as const) {
      test(`${call.name} fails at the request's limit`, { timeout: 30_000 }, async (t) => {
        const { client } = await scripted(t, (_, response) => answer(response), {
          requestTimeoutMs: 300,
        });
        const event = await one(call(client, INPUT));
        assert.equal(event.type, 'api.failed');
        assert.match(
          'message' in event ? event.message : '',
          new RegExp(`${verb} "http://.*": no answer within 0.3 s$`),
        );
      });
    }

    test('a report is given up, with a warning', { timeout: 30_000 }, async (t) => {
      const { client } = await scripted(t, (_, response) => answer(response), {
        requestTimeoutMs: 300,
      });
      const warnings: string[] = [];
      const node = createNode(client, 'node-1', Date.now, (message) => warnings.push(message));
      assert.deepEqual(await one(node.report(REPORT)), { type: 'node.reported' });
      assert.match(warnings.join(), /no answer within 0.3 s$/);
    });
  });
}

test('a watch that is never opened ends at the stall limit', { timeout: 30_000 }, async (t) => {
  const { client } = await scripted(t, () => {});
  const limits = { ...WATCH_LIMITS, stallMs: 300, probeMs: 300 };
  const [event] = await all(watchLock(client, INPUT, limits));
  assert.equal(event?.type, 'api.failed');
  assert.match('message' in event ? event.message : '', /^Watch: .*: the connection went silent$/);
});

test('a request that nobody waits for any more is ended', { timeout: 30_000 }, async (t) => {
  let ended: Promise<unknown> | null = null;
  const { client } = await scripted(t, (_, response) => {
    ended = once(response, 'close');
    subscription.unsubscribe();
  });
  const subscription = acquireLock(client, INPUT).subscribe(() => assert.fail());
  while (ended === null) await new Promise(setImmediate);
  await ended;
});
