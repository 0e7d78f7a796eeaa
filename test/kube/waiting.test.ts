import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createActor, waitFor } from 'xstate';
import { runMachine } from '../../machines/run.ts';
import { kubeActors } from '../../src/kube/actors.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { createNode } from '../../src/kube/node.ts';
import { formatLine } from '../../src/trace/format.ts';
import { missing } from '../cluster/build.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { INPUT } from '../machines/input.ts';
import { requires } from '../requires.ts';
import { annotate, clientOf, createDaemonSet, daemonSetPath } from './objects.ts';

const LIMIT = { timeout: 30_000 };

describe('a run that waits, on a real API server', requires('control plane', missing()), () => {
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

  /** The live machine, once it waits for the lock that another node holds. */
  const waiting = async (daemonSet: string) => {
    await createDaemonSet(cluster, daemonSet);
    await annotate(cluster, daemonSet, 'node-2');
    const lines: string[] = [];
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
    const input = { ...INPUT, daemonSet, deadlineInMs: null };
    const node = createNode(counted, input.node, Date.now, assert.fail);
    const machine = runMachine.provide({
      actors: kubeActors({ client: counted, node, warn: assert.fail }),
      actions: { log: (_, line) => lines.push(formatLine(line, input)) },
    });
    const actor = createActor(machine, { input });
    actor.start();
    await waitFor(actor, (snapshot) => snapshot.matches({ acquiring: 'watch' }));
    // Seen over the watch: from here on it is open.
    await annotate(cluster, daemonSet, 'node-3');
    await waitFor(actor, ({ context }) => context.lock.value === 'node-3');
    const locked = () => waitFor(actor, (snapshot) => snapshot.matches('locked'), LIMIT);
    return { actor, lines, locked, requests: () => requests };
  };

  test('goes on with the DaemonSet that was deleted and created again', async () => {
    const { actor, lines, locked } = await waiting('again');
    await cluster.request(daemonSetPath('again'), { method: 'DELETE' });
    await waitFor(actor, (snapshot) => snapshot.matches({ acquiring: 'backoff' }), LIMIT);
    assert.match(lines.at(-1) ?? '', /daemonsets\.apps "again" not found$/);
    await createDaemonSet(cluster, 'again');
    await locked();
    actor.stop();
  });

  test('goes on with an API server that was started again', async () => {
    const { actor, locked, requests } = await waiting('restarted');
    await cluster.stopApiServer();
    const before = requests();
    await cluster.startApiServer();
    await waitFor(actor, (snapshot) => snapshot.matches({ acquiring: 'watch' }), LIMIT);
    await annotate(cluster, 'restarted', null);
    await locked();
    actor.stop();
    // Reads in the backoff's pauses, a watch or two, and the update.
    assert.ok(requests() - before <= 10, `${requests() - before} requests`);
  });
});
