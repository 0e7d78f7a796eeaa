import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { RunEvent } from '../../machines/events.ts';
import { acquireLock, readLock, releaseLock } from '../../src/kube/lock.ts';
import { WATCH_LIMITS, type WatchLimits, watchLock } from '../../src/kube/watch.ts';
import { missing } from '../cluster/build.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { requires } from '../requires.ts';
import {
  annotate,
  clientOf,
  createDaemonSet,
  daemonSetPath,
  inputOf,
  one,
  queueOf,
} from './objects.ts';

describe('the lock on a real API server', requires('control plane', missing()), () => {
  let cluster: Cluster;
  let client: ReturnType<typeof clientOf>;
  before(async () => {
    cluster = await startCluster();
    client = clientOf(cluster.kubeconfig);
  });
  after(async () => {
    await client?.close();
    await cluster?.stop();
  });

  const read = async (name: string) => {
    const event = await one(readLock(client, inputOf(name, { value: '', resourceVersion: '' })));
    assert.equal(event.type, 'lock.read', JSON.stringify(event));
    return event.type === 'lock.read' ? event.lock : assert.fail();
  };

  /** A watch that is open; its events can be awaited one by one. */
  const watch = async (name: string, limits: WatchLimits = WATCH_LIMITS) => {
    const lock = await read(name);
    const { next, stop } = queueOf(watchLock(client, inputOf(name, lock), limits));
    /** Once a change has come through, the watch is known to be open. */
    const opened = async () => {
      await annotate(cluster, name, 'node-9');
      const event = await next();
      assert.equal(event.type, 'lock.changed', JSON.stringify(event));
    };
    return { next, opened, stop };
  };

  test('is read, acquired with the version read, and released', async () => {
    await createDaemonSet(cluster, 'plain');
    const free = await read('plain');
    assert.equal(free.value, '');
    const acquired = await one(acquireLock(client, inputOf('plain', free)));
    assert.equal(acquired.type, 'lock.updated');
    const held = await read('plain');
    assert.equal(held.value, 'node-1');
    const released = await one(releaseLock(client, inputOf('plain', held)));
    assert.equal(released.type, 'lock.updated');
    assert.equal((await read('plain')).value, '');
  });

  test('a stale version is a conflict with the original’s message, and changes nothing', async () => {
    await createDaemonSet(cluster, 'stale');
    const stale = await read('stale');
    await annotate(cluster, 'stale', 'node-2');
    for (const update of [acquireLock, releaseLock]) {
      assert.deepEqual(await one(update(client, inputOf('stale', stale))), {
        type: 'lock.conflicted',
        message:
          'Operation cannot be fulfilled on daemonsets.apps "stale": the object has been modified; please apply your changes to the latest version and try again',
      });
    }
    assert.equal((await read('stale')).value, 'node-2');
  });

  test('a DaemonSet that is not there fails as the original’s did', async () => {
    const event = await one(
      readLock(client, inputOf('nowhere', { value: '', resourceVersion: '' })),
    );
    assert.deepEqual(event, {
      type: 'api.failed',
      message: 'Get: daemonsets.apps "nowhere" not found',
      code: 404,
    });
  });

  test('other annotations and fields stay as they are', async () => {
    await createDaemonSet(cluster, 'kept', { other: 'stays' });
    await one(acquireLock(client, inputOf('kept', await read('kept'))));
    const { body } = await cluster.request(daemonSetPath('kept'));
    assert.equal(body.metadata.annotations.other, 'stays');
    assert.equal(body.spec.template.spec.containers[0].image, 'example/none');
  });

  test('a watch shows each change from the version read on, and unrelated ones too', async () => {
    await createDaemonSet(cluster, 'watched');
    const { next, stop } = await watch('watched');
    await annotate(cluster, 'watched', 'node-2');
    await annotate(cluster, 'watched', 'x', 'unrelated');
    await annotate(cluster, 'watched', null);
    const values = [];
    for (let count = 0; count < 3; count += 1) {
      const event = await next();
      values.push(event.type === 'lock.changed' ? event.lock.value : event);
    }
    stop();
    assert.deepEqual(values, ['node-2', 'node-2', '']);
  });

  test('a deleted DaemonSet ends the watch; the re-created one is read and watched', async () => {
    await createDaemonSet(cluster, 'deleted');
    const { next } = await watch('deleted');
    await cluster.request(daemonSetPath('deleted'), { method: 'DELETE' });
    let event = await next();
    // The API server first marks it for deletion, then removes it.
    while (event.type === 'lock.changed') event = await next();
    assert.deepEqual(event, { type: 'lock.watch.ended', message: 'the DaemonSet was deleted' });
    await createDaemonSet(cluster, 'deleted', {});
    const again = await watch('deleted');
    await annotate(cluster, 'deleted', 'node-3');
    assert.equal((await again.next()).type, 'lock.changed');
    again.stop();
  });

  test('the server’s timeout ends a quiet watch', async () => {
    await createDaemonSet(cluster, 'quiet');
    const { next } = await watch('quiet', { ...WATCH_LIMITS, serverTimeoutS: 2, shortMs: 1_000 });
    assert.deepEqual(await next(), {
      type: 'lock.watch.ended',
      message: 'the server closed the watch',
    });
  });

  test('a paused API server is noticed at the stall limit', async () => {
    await createDaemonSet(cluster, 'paused');
    const { next, opened } = await watch('paused', {
      ...WATCH_LIMITS,
      stallMs: 1_500,
      probeMs: 500,
    });
    await opened();
    cluster.pause();
    try {
      assert.deepEqual(await next(), {
        type: 'lock.watch.ended',
        message: 'the connection went silent',
      });
    } finally {
      cluster.resume();
    }
  });

  test('a version that a restarted API server no longer knows is watched all the same', async () => {
    await createDaemonSet(cluster, 'old');
    await cluster.compact();
    const { next, stop } = await watch('old');
    await annotate(cluster, 'old', 'node-2');
    const event = await next();
    stop();
    assert.equal(
      event.type === 'lock.changed' && event.lock.value,
      'node-2',
      JSON.stringify(event),
    );
  });

  test('unsubscribing while connecting emits nothing and leaves nothing open', async () => {
    const events: RunEvent[] = [];
    watchLock(client, inputOf('plain', await read('plain')))
      .subscribe((e) => events.push(e))
      .unsubscribe();
    await read('plain');
    assert.deepEqual(events, []);
  });

  test('a patch without permission is refused with verb and resource', async () => {
    const token = await cluster.addUser('nobody');
    const nobody = clientOf(cluster.kubeconfig, { token });
    const event = await one(readLock(nobody, inputOf('plain', { value: '', resourceVersion: '' })));
    await nobody.close();
    assert.ok(event.type === 'api.failed');
    assert.equal(event.code, 403);
    assert.match(
      event.message,
      /User "nobody" cannot get resource "daemonsets" in API group "apps"/,
    );
  });

  test('a stopped API server is a refused connection in the original’s words', async () => {
    const { next, opened } = await watch('plain');
    await opened();
    await cluster.stopApiServer();
    try {
      const ended = await next();
      assert.equal(ended.type, 'lock.watch.ended');
      assert.match(ended.type === 'lock.watch.ended' ? ended.message : '', /^the stream broke: /);
      const refused = await one(
        readLock(client, inputOf('plain', { value: '', resourceVersion: '' })),
      );
      const { host } = new URL(cluster.url);
      assert.deepEqual(refused, {
        type: 'api.failed',
        message: `Get: Get "${cluster.url}${daemonSetPath('plain')}": dial tcp ${host}: connect: connection refused`,
      });
    } finally {
      await cluster.startApiServer();
    }
    assert.equal((await read('plain')).value, 'node-9');
  });
});
