import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { RunEvent } from '../../machines/events.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { WALL_CLOCK } from '../../src/kube/clock.ts';
import { drainNode } from '../../src/kube/drain.ts';
import { blockedMessage, reportDrain } from '../../src/kube/drain-condition.ts';
import type { DrainInput } from '../../src/kube/drain-input.ts';
import { accessesOf, rulesFor } from '../../src/kube/rbac.ts';
import { missing } from '../cluster/build.ts';
import { type Cluster, poll, startCluster } from '../cluster/cluster.ts';
import { requires } from '../requires.ts';
import {
  clientOf,
  createDaemonSet,
  createNode,
  daemonSetPath,
  MERGE_PATCH,
  one,
} from './objects.ts';

const PODS = '/api/v1/namespaces/default/pods';
const SYSTEM_PODS = '/api/v1/namespaces/kube-system/pods';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

describe('a drain on a real API server', requires('control plane', missing()), () => {
  let cluster: Cluster;
  /** Has the rules that the options need, and no more. */
  let client: KubeClient;
  let nobody: KubeClient;
  before(async () => {
    cluster = await startCluster();
    const token = await cluster.addUser('drainer');
    client = clientOf(cluster.kubeconfig, { token });
    nobody = clientOf(cluster.kubeconfig, { token: await cluster.addUser('nobody') });
    await grant('drainer', rulesFor({ reboot: false, drain: true }));
  });
  after(async () => {
    await client?.close();
    await nobody?.close();
    await cluster?.stop();
  });

  const post = async (path: string, body: object) => {
    const answer = await cluster.request(path, { method: 'POST', body });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body;
  };
  /** Gives the user the cluster-wide ones among these rules. */
  const grant = async (user: string, rules: ReturnType<typeof rulesFor>) => {
    const own = rules.filter(({ kind }) => kind === 'ClusterRole');
    await post(`${RBAC}/clusterroles`, {
      metadata: { name: user },
      rules: own.map(({ kind: _, ...rule }) => rule),
    });
    await post(`${RBAC}/clusterrolebindings`, {
      metadata: { name: user },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    });
    assert.ok(accessesOf(own).length > 0);
    // The authorizer learns of it a moment later.
    await poll(async () => {
      const token = `${user}-token`;
      return (await cluster.request('/api/v1/pods', { token })).status === 200;
    }, 10_000);
  };
  const createPod = async (
    name: string,
    node: string,
    metadata: object = {},
    collection: string = PODS,
  ) => {
    const spec = { nodeName: node, containers: [{ name: 'main', image: 'example/none' }] };
    await post(collection, { metadata: { name, labels: { app: name }, ...metadata }, spec });
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    const type = 'application/strategic-merge-patch+json';
    const init = { method: 'PATCH', type, body: { status } };
    assert.equal((await cluster.request(`${collection}/${name}/status`, init)).status, 200);
  };
  const setBudget = async (name: string, disruptionsAllowed: number) => {
    const counts = { currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
    const status = { observedGeneration: 1, disruptionsAllowed, ...counts };
    const init = { method: 'PATCH', type: MERGE_PATCH, body: { status } };
    assert.equal((await cluster.request(`${BUDGETS}/${name}/status`, init)).status, 200);
  };
  const createBudget = async (name: string, app: string) => {
    const spec = { minAvailable: 1, selector: { matchLabels: { app } } };
    await post(BUDGETS, { metadata: { name }, spec });
    await setBudget(name, 0);
  };
  /** As the kubelet, once the containers have ended. */
  const end = (id: string) => {
    const [namespace, name] = id.split('/');
    const path = `/api/v1/namespaces/${namespace}/pods/${name}?gracePeriodSeconds=0`;
    return cluster.request(path, { method: 'DELETE' });
  };

  /** The events until the end; what is evicted ends, unless `onEvent` says that it has seen to it. */
  const drain = (
    options: Partial<DrainInput> & { node: string },
    onEvent: (event: RunEvent) => Promise<boolean> = async () => false,
    who: KubeClient = client,
  ) =>
    new Promise<RunEvent[]>((resolve, reject) => {
      const events: RunEvent[] = [];
      const input = {
        gracePeriodS: null,
        podSelector: '',
        skipWaitForDeleteTimeoutS: 0,
        ...options,
      };
      const see = async (event: RunEvent) => {
        events.push(event);
        if (!(await onEvent(event)) && event.type === 'pod.evicted') await end(event.pod);
      };
      drainNode(who, input, WALL_CLOCK, reject).subscribe({
        next: (event) => void see(event).catch(reject),
        error: reject,
        complete: () => resolve(events),
      });
    });
  const words = (events: RunEvent[]) =>
    events.map((event) => ('pod' in event ? `${event.type} ${event.pod}` : event.type));

  test('evicts what has to go, and leaves a DaemonSet’s pods, mirrors and other nodes', async () => {
    await createNode(cluster, 'node-1');
    await createDaemonSet(cluster, 'agent');
    const { uid } = (await cluster.request(daemonSetPath('agent'))).body.metadata;
    const owner = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      name: 'agent',
      uid,
      controller: true,
    };
    await createPod('agent-1', 'node-1', { ownerReferences: [owner] }, SYSTEM_PODS);
    const deleted = { ...owner, name: 'deleted' };
    await createPod('orphan', 'node-1', { ownerReferences: [deleted] }, SYSTEM_PODS);
    const mirror = { 'kubernetes.io/config.mirror': 'hash' };
    await createPod('mirror', 'node-1', { annotations: mirror }, SYSTEM_PODS);
    await createPod('web', 'node-1');
    await createPod('elsewhere', 'node-2');
    const events = await drain({ node: 'node-1' });
    assert.deepEqual(words(events).sort(), [
      'node.drained',
      'pod.evicted default/web',
      'pod.evicted kube-system/orphan',
      'pod.gone default/web',
      'pod.gone kube-system/orphan',
    ]);
    const { body } = await cluster.request('/api/v1/pods');
    const left = body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    assert.deepEqual(left.sort(), ['agent-1', 'elsewhere', 'mirror']);
  });

  test('a budget that allows nothing holds the pod until it is changed, and is named', async () => {
    await createNode(cluster, 'node-3');
    await createBudget('guard', 'guarded');
    await createPod('guarded', 'node-3');
    await createPod('free', 'node-3');
    const events = await drain({ node: 'node-3' }, async (event) => {
      if (event.type !== 'pod.blocked') return false;
      await setBudget('guard', 1);
      return true;
    });
    const [blocked] = events.filter((event) => event.type === 'pod.blocked');
    assert.deepEqual(blocked, {
      type: 'pod.blocked',
      pod: 'default/guarded',
      budget: 'guard',
      message:
        "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget guard needs 1 healthy pods and has 1 currently",
      retryInMs: 5_000,
    });
    const order = words(events);
    // The other pod does not wait for it.
    assert.ok(
      order.indexOf('pod.gone default/free') < order.indexOf('pod.evicted default/guarded'),
    );
    assert.deepEqual(order.slice(-2), ['pod.gone default/guarded', 'node.drained']);
  });

  test('trap 26: two budgets end it at once, named', async () => {
    await createBudget('both-a', 'both');
    await createBudget('both-b', 'both');
    await createPod('both', 'node-4');
    assert.deepEqual(await drain({ node: 'node-4' }), [
      {
        type: 'drain.failed',
        message:
          'pod default/both cannot be evicted: the PodDisruptionBudgets both-a and both-b select it, and evictions know no more than one for a pod: change their selectors',
      },
    ]);
  });

  test('the selector and the grace period are the ones given', async () => {
    await createPod('hurried', 'node-5');
    await createPod('unselected', 'node-5');
    let graceS = 0;
    const options = { node: 'node-5', podSelector: 'app in (hurried)', gracePeriodS: 7 };
    const events = await drain(options, async (event) => {
      if (event.type !== 'pod.evicted') return false;
      const { metadata } = (await cluster.request(`${PODS}/hurried`)).body;
      graceS = metadata.deletionGracePeriodSeconds;
      return false;
    });
    assert.equal(graceS, 7);
    assert.deepEqual(words(events), [
      'pod.evicted default/hurried',
      'pod.gone default/hurried',
      'node.drained',
    ]);
    assert.equal((await cluster.request(`${PODS}/unselected`)).status, 200);
  });

  test('another pod of the same name is not the one that was evicted', async () => {
    const fixed = {
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'db', controller: true },
      ],
    };
    await createPod('db-0', 'node-6', fixed);
    const events = await drain({ node: 'node-6' }, async (event) => {
      if (event.type !== 'pod.evicted') return false;
      await end(event.pod);
      await createPod('db-0', 'node-6', fixed);
      return true;
    });
    assert.deepEqual(words(events), [
      'pod.evicted default/db-0',
      'pod.gone default/db-0',
      'node.drained',
    ]);
    const { metadata } = (await cluster.request(`${PODS}/db-0`)).body;
    assert.equal(metadata.deletionTimestamp, undefined);
  });

  test('trap 28: without permissions it says which, at once', async () => {
    const lacks = 'user "nobody", by user "test" of the kubeconfig lacks permissions: grant';
    const list = await drain({ node: 'node-7' }, undefined, nobody);
    assert.deepEqual(list, [
      {
        type: 'drain.failed',
        message: `the pods of node node-7 cannot be listed: ${lacks} {apiGroups: [""], resources: ["pods"], verbs: [list]} in the ClusterRole`,
      },
    ]);
    await createPod('kept', 'node-7');
    const rules = rulesFor({ reboot: false, drain: true });
    await grant(
      'nobody',
      rules.filter(({ resources }) => resources.includes('pods')),
    );
    const evict = await drain({ node: 'node-7' }, undefined, nobody);
    assert.deepEqual(evict, [
      {
        type: 'drain.failed',
        message: `pod default/kept cannot be evicted: ${lacks} {apiGroups: [""], resources: ["pods/eviction"], verbs: [create]} in the ClusterRole`,
      },
    ]);
  });

  test('trap 19: what keeps it stands on the Node, and the reboot is still required', async () => {
    await createNode(cluster, 'node-8');
    const condition = async () => {
      const { status } = (await cluster.request('/api/v1/nodes/node-8')).body;
      return status.conditions.find(({ type }: { type: string }) => type === 'HostUpgradesReboot');
    };
    const message = blockedMessage({
      pod: 'default/guarded',
      budget: 'guard',
      message: 'it would violate it',
    });
    const beganMs = Date.UTC(2026, 11, 1, 4);
    assert.deepEqual(await one(reportDrain(client, 'node-8', message, beganMs, assert.fail)), {
      type: 'node.reported',
    });
    assert.deepEqual(await condition(), {
      type: 'HostUpgradesReboot',
      status: 'True',
      reason: 'DrainBlocked',
      message:
        'pod default/guarded is not evicted: PodDisruptionBudget default/guard: it would violate it',
      lastHeartbeatTime: '2026-12-01T04:00:00Z',
      lastTransitionTime: '2026-12-01T04:00:00Z',
    });
    await one(reportDrain(client, 'node-8', `again: ${message}`, beganMs + 900_000, assert.fail));
    const { status, reason, lastTransitionTime, lastHeartbeatTime } = await condition();
    assert.deepEqual([status, reason], ['True', 'DrainBlocked']);
    // It is as required as it was.
    assert.equal(lastTransitionTime, '2026-12-01T04:00:00Z');
    assert.equal(lastHeartbeatTime, '2026-12-01T04:15:00Z');
  });

  test('a report that cannot be written is told, and keeps nothing', async () => {
    const warnings: string[] = [];
    const warn = (message: string) => warnings.push(message);
    assert.deepEqual(await one(reportDrain(client, 'nowhere', '', 0, warn)), {
      type: 'node.reported',
    });
    assert.deepEqual(warnings, [
      'Failed to update node nowhere condition: nodes "nowhere" not found',
    ]);
  });

  test('an API server that is stopped in the middle is waited for', async () => {
    await createPod('patient', 'node-10');
    const warnings: string[] = [];
    const events: RunEvent[] = [];
    const input = {
      node: 'node-10',
      gracePeriodS: null,
      podSelector: '',
      skipWaitForDeleteTimeoutS: 0,
    };
    const done = Promise.withResolvers<void>();
    drainNode(client, input, WALL_CLOCK, (warning) => warnings.push(warning)).subscribe({
      next: (event) => events.push(event),
      complete: done.resolve,
    });
    await poll(async () => events.length === 1, 10_000);
    await cluster.stopApiServer();
    await poll(async () => warnings.length > 0, 30_000);
    await cluster.startApiServer();
    await end('default/patient');
    await done.promise;
    assert.deepEqual(words(events), [
      'pod.evicted default/patient',
      'pod.gone default/patient',
      'node.drained',
    ]);
    assert.match(warnings[0] ?? '', /^the pods of node node-10 cannot be listed, retrying: /);
  });
});
