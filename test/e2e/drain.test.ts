import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { missing as missingCluster } from '../cluster/build.ts';
import { type Cluster, poll, startCluster } from '../cluster/cluster.ts';
import { missing as missingKwok } from '../kwok/build.ts';
import { requires } from '../requires.ts';
import { belowBudget, course, twoCordoned } from './checks.ts';
import { type Controllers, startControllers } from './controllers.ts';
import { momentsOf } from './history.ts';
import { kubectl } from './kubectl.ts';
import { type Kubelet, startKubelet } from './kubelet.ts';
import { type Recorder, startRecorder } from './recorder.ts';
import { createWorkload, type Workload } from './workload.ts';

const needed = requires('control plane with controllers', missingCluster() || missingKwok());
const NODES = ['node-1', 'node-2', 'node-3'];
const DRAIN = ['drain', '--ignore-daemonsets', '--delete-emptydir-data', '--force'];

describe('a real control plane with controllers, drained by kubectl', needed, () => {
  let cluster: Cluster;
  let controllers: Controllers;
  let recorder: Recorder;
  let workload: Workload;
  const kubelets = new Map<string, Kubelet>();
  before(async () => {
    cluster = await startCluster({ hasControllers: true, isRecorded: true });
    recorder = await startRecorder(cluster);
    controllers = await startControllers(cluster);
    for (const name of NODES) kubelets.set(name, await startKubelet(cluster, name));
    workload = await createWorkload(cluster, 'shop');
  });
  after(async () => {
    for (const kubelet of kubelets.values()) await kubelet.stop();
    await recorder?.stop();
    await controllers?.stop();
    await cluster?.stop();
  });
  const moments = async () => momentsOf(await recorder.changes(), '');
  const nodesInUse = async () =>
    new Set((await workload.pods()).map((pod) => pod.split(' on ')[1]));

  test('pods are evicted, come up elsewhere, and the budget holds at every moment', async () => {
    assert.deepEqual([...(await nodesInUse())].sort(), NODES);
    const output = await kubectl(cluster, [...DRAIN, 'node-1']);
    assert.match(output, /evicting pod default\/shop-/);
    assert.match(output, /node\/node-1 drained/);
    await workload.ready();
    assert.deepEqual([...(await nodesInUse())].sort(), ['node-2', 'node-3']);
    // One of these has two pods now: the second one has to wait for the first one's successor.
    await kubectl(cluster, ['uncordon', 'node-1']);
    for (const name of ['node-2', 'node-3']) {
      await kubectl(cluster, [...DRAIN, name]);
      await workload.ready();
      await kubectl(cluster, ['uncordon', name]);
    }
    const all = await moments();
    assert.deepEqual(belowBudget(all, 'shop'), []);
    assert.deepEqual(twoCordoned(all), []);
    const cordon = course(all, ({ nodes }) => `${nodes.get('node-2')?.isCordoned ?? 'none'}`);
    assert.deepEqual(cordon, ['none', 'false', 'true', 'false']);
  });

  test('a budget that allows nothing keeps every pod, and the drain fails', async () => {
    await workload.setMinAvailable(3);
    const before = await workload.pods();
    const pod = before[0] ?? '';
    const [, node = ''] = pod.split(' on ');
    const drain = kubectl(cluster, [...DRAIN, '--timeout=1s', node]);
    await assert.rejects(drain, /would violate the pod's disruption budget/);
    assert.deepEqual(await workload.pods(), before);
    await kubectl(cluster, ['uncordon', node]);
    await workload.setMinAvailable(2);
  });

  test('a node whose kubelet is silent is not ready, and is again once it is back', async () => {
    const ready = async () => {
      const { body } = await cluster.request('/api/v1/nodes/node-3');
      const find = (one: { type: string }) => one.type === 'Ready';
      return body.status.conditions.find(find).status;
    };
    const change = { spec: { unschedulable: true } };
    const type = 'application/merge-patch+json';
    await cluster.request('/api/v1/nodes/node-3', { method: 'PATCH', body: change, type });
    const condition = { type: 'HostUpgrades', status: 'True', reason: 'UpToDate' };
    await cluster.request('/api/v1/nodes/node-3/status', {
      method: 'PATCH',
      body: { status: { conditions: [condition] } },
      type: 'application/strategic-merge-patch+json',
    });
    await kubelets.get('node-3')?.stop();
    await poll(async () => (await ready()) === 'Unknown', 60_000);
    kubelets.set('node-3', await startKubelet(cluster, 'node-3'));
    // What others have set on the node is still there.
    const node = (await moments()).at(-1)?.nodes.get('node-3');
    assert.deepEqual(
      [node?.conditions.Ready, node?.conditions.HostUpgrades, node?.isCordoned],
      ['True/KubeletReady', 'True/UpToDate', true],
    );
  });
});
