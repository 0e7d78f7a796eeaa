import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { createLog } from '../../src/log/log.ts';
import { RecoveryError, recoverLock } from '../../src/service/recovery.ts';
import { missing } from '../cluster/build.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { annotate, clientOf, createDaemonSet, daemonSetPath } from '../kube/objects.ts';
import { requires } from '../requires.ts';

describe('the lock at start, on a real API server', requires('control plane', missing()), () => {
  let cluster: Cluster;
  let client: KubeClient;
  before(async () => {
    cluster = await startCluster();
    client = clientOf(cluster.kubeconfig);
  });
  after(async () => {
    await client?.close();
    await cluster?.stop();
  });

  const recover = async (
    daemonSet: string,
    isUpgrading: boolean,
    onLine: (text: string) => Promise<void> = async () => {},
  ) => {
    const said: string[] = [];
    const under: Promise<void>[] = [];
    const log = createLog({
      format: 'classic',
      level: 'info',
      write(line) {
        said.push(line.slice('YYYY/MM/DD HH:MM:SS '.length).trimEnd());
        under.push(onLine(said.at(-1) ?? ''));
      },
      isTerminal: false,
      hasColour: false,
      nowMs: Date.now,
    });
    const result = await recoverLock({
      client: {
        ...client,
        // What a line set off is done before the request that the line announces.
        request: async (spec) => {
          await Promise.all(under);
          return client.request(spec);
        },
      },
      names: { namespace: 'kube-system', daemonSet, node: 'node-006' },
      log,
      isUpgrading: async () => isUpgrading,
      pause: async () => {},
    });
    return { said, ...result };
  };
  const lockOf = async (name: string) => {
    const { body } = await cluster.request(daemonSetPath(name));
    return body.metadata.annotations?.[LOCK_ANNOTATION];
  };

  test('an own lock is released in the words of the original', async () => {
    await createDaemonSet(cluster, 'host-upgrades', { [LOCK_ANNOTATION]: 'node-006', other: 'x' });
    const { said, adopt } = await recover('host-upgrades', false);
    const original = readFileSync(
      new URL('../traces/original/run/own-lock-at-start.txt', import.meta.url),
      'utf8',
    );
    const rows = original.split('\n').map((row) => row.slice('YYYY/MM/DD HH:MM:SS '.length));
    const first = rows.findIndex((row) => row.endsWith(': get'));
    assert.deepEqual(said, rows.slice(first, first + 7));
    assert.deepEqual([adopt, await lockOf('host-upgrades')], [false, undefined]);
  });

  test('an own lock whose upgrade still runs is kept', async () => {
    await createDaemonSet(cluster, 'running', { [LOCK_ANNOTATION]: 'node-006' });
    const { adopt } = await recover('running', true);
    assert.deepEqual([adopt, await lockOf('running')], [true, 'node-006']);
  });

  test('a lock of another node is left alone, running upgrade or not', async () => {
    await createDaemonSet(cluster, 'others', { [LOCK_ANNOTATION]: 'node-6' });
    const { said, adopt } = await recover('others', true);
    assert.deepEqual([adopt, await lockOf('others')], [false, 'node-6']);
    assert.equal(
      said.at(-1),
      'Using kube lock kube-system/daemonsets/others (not acquired, value=node-6)',
    );
  });

  test('a conflict with an unrelated writer is tried again', async () => {
    await createDaemonSet(cluster, 'conflict', { [LOCK_ANNOTATION]: 'node-006' });
    let writes = 0;
    const { said } = await recover('conflict', false, async (text) => {
      if (!text.endsWith(': update') || writes > 0) return;
      writes += 1;
      await annotate(cluster, 'conflict', 'x', 'unrelated');
    });
    assert.equal(said.filter((text) => text.includes('retry modify conflict')).length, 1);
    assert.equal(await lockOf('conflict'), undefined);
  });

  test('a lock that somebody takes away in between is not released', async () => {
    await createDaemonSet(cluster, 'taken', { [LOCK_ANNOTATION]: 'node-006' });
    const { said } = await recover('taken', false, async (text) => {
      if (text.endsWith(': acquired')) await annotate(cluster, 'taken', 'node-7');
    });
    assert.equal(await lockOf('taken'), 'node-7');
    assert.ok(!said.some((text) => text.startsWith('Released')));
  });

  test('what the API server refuses decides nothing', async () => {
    await assert.rejects(recover('nowhere', false), (error) => {
      assert.ok(error instanceof RecoveryError);
      assert.match(error.message, /daemonsets.apps "nowhere" not found/);
      return true;
    });
  });
});
