import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { KubeClient } from '../../src/kube/client.ts';
import { readLock } from '../../src/kube/lock.ts';
import { WATCH_LIMITS, type WatchLimits, watchLock } from '../../src/kube/watch.ts';
import { missing } from '../cluster/build.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { type FaultyProxy, startProxy } from '../cluster/proxy.ts';
import { requires } from '../requires.ts';
import { annotate, clientOf, createDaemonSet, inputOf, one, queueOf } from './objects.ts';

const UNREAD = { value: '', resourceVersion: '' };
/** What is not noticed would be waited for without end. */
const LIMIT = { timeout: 60_000 };
/** The limits under test, each alone: the other ones are out of reach. */
const PINGS = { pingMs: 300, requestTimeoutMs: 60_000 };
const NO_PINGS = { pingMs: 600_000, requestTimeoutMs: 60_000 };
const STALL: WatchLimits = { ...WATCH_LIMITS, stallMs: 1_000, probeMs: 500 };

describe('a dead connection to a real API server', requires('control plane', missing()), () => {
  let cluster: Cluster;
  let proxy: FaultyProxy;
  const clients: KubeClient[] = [];
  before(async () => {
    cluster = await startCluster();
    const { hostname, port } = new URL(cluster.url);
    proxy = await startProxy({ host: hostname, port: Number(port) });
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await proxy?.close();
    await cluster?.stop();
  });

  /** A watch over the proxy that is known to be open. */
  const open = async (name: string, limits: WatchLimits, options: typeof PINGS) => {
    await createDaemonSet(cluster, name);
    const server = `https://127.0.0.1:${proxy.port}`;
    const client = clientOf(cluster.kubeconfig, { ...options, server });
    clients.push(client);
    const read = async () => {
      const event = await one(readLock(client, inputOf(name, UNREAD)));
      return event.type === 'lock.read' ? event.lock : assert.fail(JSON.stringify(event));
    };
    const watch = queueOf(watchLock(client, inputOf(name, await read()), limits));
    await annotate(cluster, name, 'node-2');
    const opened = await watch.next();
    assert.equal(opened.type, 'lock.changed', JSON.stringify(opened));
    return { read, watch };
  };

  test(
    'trap 32a: a half-open connection is noticed by its PING, and not used again',
    LIMIT,
    async () => {
      const { read, watch } = await open('ping', WATCH_LIMITS, PINGS);
      proxy.freeze();
      await annotate(cluster, 'ping', null);
      const event = await watch.next();
      assert.equal(event.type, 'lock.watch.ended');
      assert.match('message' in event ? event.message : '', /^the stream broke: /);
      assert.equal((await read()).value, '');
    },
  );

  test(
    'trap 32a: a half-open connection is noticed at the stall limit, and not used again',
    LIMIT,
    async () => {
      const { read, watch } = await open('stall', STALL, NO_PINGS);
      proxy.freeze();
      await annotate(cluster, 'stall', null);
      assert.deepEqual(await watch.next(), {
        type: 'lock.watch.ended',
        message: 'the connection went silent',
      });
      assert.equal((await read()).value, '');
    },
  );

  test('a paused API server is noticed by its PING', LIMIT, async () => {
    const { watch } = await open('paused', WATCH_LIMITS, PINGS);
    cluster.pause();
    try {
      assert.equal((await watch.next()).type, 'lock.watch.ended');
    } finally {
      cluster.resume();
    }
  });

  test('a quiet watch stays within its requests where no bookmark comes', LIMIT, async () => {
    // As the real limits, 240 times as fast: 12 requests an hour are 6 in 7.5 s. The server's own
    // timeout is in whole seconds.
    const limits = { ...WATCH_LIMITS, stallMs: 312, serverTimeoutS: 8, shortMs: 5 };
    await createDaemonSet(cluster, 'quiet');
    const client = clientOf(cluster.kubeconfig);
    clients.push(client);
    let requests = 0;
    const counted: KubeClient = {
      ...client,
      request: (spec, signal) => {
        requests += 1;
        return client.request(spec, signal);
      },
      open: (spec, signal) => {
        requests += 1;
        return client.open(spec, signal);
      },
    };
    const read = await one(readLock(counted, inputOf('quiet', UNREAD)));
    assert.ok(read.type === 'lock.read');
    const ended = await one(watchLock(counted, inputOf('quiet', read.lock), limits));
    assert.deepEqual(ended, { type: 'lock.watch.ended', message: 'the server closed the watch' });
    assert.ok(requests <= 6, `${requests} requests`);
  });
});
