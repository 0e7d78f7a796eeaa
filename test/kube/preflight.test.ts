import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { rootCertificates } from 'node:tls';
import type { Objects } from '../../src/kube/access.ts';
import { review } from '../../src/kube/access.ts';
import { createClient, type KubeClient } from '../../src/kube/client.ts';
import { loadKubeConfig } from '../../src/kube/config.ts';
import { readLock } from '../../src/kube/lock.ts';
import { createNode } from '../../src/kube/node.ts';
import { ClusterError, checkCluster } from '../../src/kube/preflight.ts';
import {
  type Access,
  accessesOf,
  grants,
  RULES,
  type Rule,
  rulesFor,
} from '../../src/kube/rbac.ts';
import { watchLock } from '../../src/kube/watch.ts';
import { missing } from '../cluster/build.ts';
import { type Cluster, poll, startCluster } from '../cluster/cluster.ts';
import { requires } from '../requires.ts';
import {
  createNode as addNode,
  annotate,
  clientOf,
  createDaemonSet,
  inputOf,
  one,
} from './objects.ts';
import { serviceAccount } from './service-account.ts';

const NODE = 'worker-1.eu.example';
const OBJECTS: Objects = { namespace: 'kube-system', daemonSet: 'host-upgrades', node: NODE };
const NEITHER = { reboot: false, drain: false };
const BASE = rulesFor(NEITHER);
const BOTH = { reboot: true, drain: true };
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ROLE_PATHS = {
  Role: `${RBAC}/namespaces/kube-system/roles`,
  ClusterRole: `${RBAC}/clusterroles`,
};
const REPORT = { node: NODE, status: { rebootRequired: false, detail: '' }, error: null };

/** Rejected by one line: its text. */
async function problem(check: Promise<unknown>): Promise<string> {
  const error = await check.then(
    () => assert.fail('nothing was wrong'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ClusterError, String(error));
  assert.doesNotMatch(error.message, /\n/);
  return error.message;
}

/** Whether who has the first has the second; what is granted for the cluster holds in a namespace. */
function includes(one: Access, other: Access): boolean {
  return (
    one.resource === other.resource &&
    one.verb === other.verb &&
    (one.kind === 'ClusterRole' || other.kind === 'Role')
  );
}

describe('the check at start, on a real API server', requires('control plane', missing()), () => {
  let cluster: Cluster;
  let admin: KubeClient;
  let runner: KubeClient;
  let token: string;
  before(async () => {
    cluster = await startCluster();
    token = await cluster.addUser('runner');
    admin = clientOf(cluster.kubeconfig);
    runner = clientOf(cluster.kubeconfig, { token });
    await createDaemonSet(cluster, 'host-upgrades');
    await annotate(cluster, 'host-upgrades', 'node-2');
    await addNode(cluster, NODE);
    await addNode(cluster, 'worker-1');
    for (const kind of ['Role', 'ClusterRole'] as const) {
      await create(ROLE_PATHS[kind], { kind, metadata: { name: 'runner' }, rules: [] });
      await create(ROLE_PATHS[kind].replace('roles', 'rolebindings'), {
        kind: `${kind}Binding`,
        metadata: { name: 'runner' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: 'runner' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'runner' }],
      });
    }
  });
  after(async () => {
    await admin?.close();
    await runner?.close();
    await cluster?.stop();
  });

  const create = async (path: string, body: object) => {
    const { status } = await cluster.request(path, { method: 'POST', body });
    assert.equal(status, 201);
  };

  /** Gives the runner these rules alone; they hold when this resolves. */
  const grant = async (rules: readonly (Rule & { resourceNames?: string[] })[]) => {
    for (const kind of ['Role', 'ClusterRole'] as const) {
      const own = rules.filter((rule) => rule.kind === kind);
      const body = { rules: own.map(({ kind: _, ...rule }) => rule) };
      const path = `${ROLE_PATHS[kind]}/runner`;
      const type = 'application/merge-patch+json';
      const { status } = await cluster.request(path, { method: 'PATCH', type, body });
      assert.equal(status, 200);
    }
    const granted = accessesOf(rules);
    for (const access of accessesOf(RULES)) {
      const isWanted = granted.some((one) => includes(one, access));
      await poll(async () => (await review(runner, access, OBJECTS)) === isWanted, 10_000);
    }
  };

  test('with the documented rules it gives the lock and the Node, in five requests', async () => {
    await grant(BASE);
    let requests = 0;
    const counted: KubeClient = {
      ...runner,
      request: (spec, signal) => {
        requests += 1;
        return runner.request(spec, signal);
      },
    };
    const state = await checkCluster(counted, OBJECTS);
    assert.ok(state.reachable);
    assert.equal(state.lock.value, 'node-2');
    assert.equal(state.node.metadata?.name, NODE);
    assert.equal(requests, 5);
  });

  test('each verb that is missing is named, as the rule to grant', async () => {
    for (const access of accessesOf(RULES)) {
      const rules = RULES.map((rule) => ({
        ...rule,
        verbs: rule.verbs.filter((verb) => {
          const [own] = accessesOf([{ ...rule, verbs: [verb] }]);
          return own === undefined || !includes(own, access);
        }),
      })).filter(({ verbs }) => verbs.length > 0);
      await grant(rules);
      const held = accessesOf(rules);
      // A verb that is granted for the cluster is missing nowhere.
      const named = accessesOf(RULES).filter((one) => !held.some((own) => includes(own, one)));
      const message = await problem(checkCluster(runner, OBJECTS, BOTH));
      assert.ok(
        message.endsWith(`lacks permissions: grant ${grants(named, 'kube-system')}`),
        message,
      );
    }
  });

  test('only what the options need is asked for', async () => {
    for (const powers of [
      NEITHER,
      { reboot: true, drain: false },
      { reboot: false, drain: true },
      BOTH,
    ]) {
      await grant(rulesFor(powers));
      assert.ok((await checkCluster(runner, OBJECTS, powers)).reachable);
    }
    await grant(BASE);
    assert.equal(
      await problem(checkCluster(runner, OBJECTS, { reboot: true, drain: false })),
      'user "test" of the kubeconfig lacks permissions: grant ' +
        '{apiGroups: [""], resources: ["nodes"], verbs: [patch]} in the ClusterRole',
    );
    await grant(rulesFor({ reboot: true, drain: false }));
    assert.equal(
      await problem(checkCluster(runner, OBJECTS, BOTH)),
      'user "test" of the kubeconfig lacks permissions: grant ' +
        '{apiGroups: [""], resources: ["pods"], verbs: [list]} in the ClusterRole and ' +
        '{apiGroups: [""], resources: ["pods/eviction"], verbs: [create]} in the ClusterRole and ' +
        '{apiGroups: ["apps"], resources: ["daemonsets"], verbs: [get]} in the ClusterRole and ' +
        '{apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: [list]} in the ClusterRole',
    );
  });

  test('without any rule all of them are named, and who lacks them', async () => {
    await grant([]);
    assert.equal(
      await problem(checkCluster(runner, OBJECTS)),
      'user "runner", by user "test" of the kubeconfig lacks permissions: grant ' +
        '{apiGroups: ["apps"], resources: ["daemonsets"], verbs: [get, watch, patch]} in the Role in namespace kube-system and ' +
        '{apiGroups: [""], resources: ["nodes"], verbs: [get]} in the ClusterRole and ' +
        '{apiGroups: [""], resources: ["nodes/status"], verbs: [patch]} in the ClusterRole',
    );
  });

  test('rules that name the DaemonSet are enough, for the watch too', async () => {
    await grant(
      BASE.map((rule) =>
        rule.kind === 'Role' ? { ...rule, resourceNames: ['host-upgrades'] } : rule,
      ),
    );
    const state = await checkCluster(runner, OBJECTS);
    assert.ok(state.reachable);
    const input = { ...inputOf('host-upgrades', state.lock), ...OBJECTS };
    const changed = one(watchLock(runner, input));
    await annotate(cluster, 'host-upgrades', 'node-3');
    assert.equal((await changed).type, 'lock.changed');
    const warnings: string[] = [];
    const node = createNode(runner, NODE, Date.now, (text) => warnings.push(text), state.node);
    await one(node.report(REPORT));
    assert.deepEqual(warnings, []);
    await annotate(cluster, 'host-upgrades', 'node-2');
  });

  test('a DaemonSet that is not there', async () => {
    for (const objects of [
      { ...OBJECTS, daemonSet: 'other' },
      { ...OBJECTS, namespace: 'other' },
    ]) {
      assert.equal(
        await problem(checkCluster(admin, objects)),
        `no DaemonSet ${objects.daemonSet} in namespace ${objects.namespace}, whose annotation is the lock: set --kube-namespace and --kube-daemonset to the one that this pod is of`,
      );
    }
  });

  test('trap 25: a Node is taken by its whole name as it is, and never guessed', async () => {
    for (const node of ['WORKER-1.EU.EXAMPLE', 'worker-2', 'worker-1.eu']) {
      assert.equal(
        await problem(checkCluster(admin, { ...OBJECTS, node })),
        `no Node ${node}: set --kube-node to the pod's spec.nodeName, which the host's name need not be`,
      );
    }
    const state = await checkCluster(admin, OBJECTS);
    assert.ok(state.reachable && state.node.metadata?.name === NODE);
  });

  test('names that are none', async () => {
    for (const name of ['', '.', '..', 'a/b', 'host-upgrades%2Fstatus']) {
      for (const [field, flag] of [
        ['namespace', '--kube-namespace'],
        ['daemonSet', '--kube-daemonset'],
        ['node', '--kube-node'],
      ] as const) {
        const message = await problem(checkCluster(admin, { ...OBJECTS, [field]: name }));
        assert.equal(message, `${flag}=${name}: not the name of an object`);
      }
    }
  });

  test('credentials that are refused are named', async () => {
    const ca = readFileSync(cluster.files.ca, 'utf8');
    const account = serviceAccount({ token: 'wrong', ca });
    const { hostname, port } = new URL(cluster.url);
    const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    const config = await loadKubeConfig('', env, account.folder);
    const client = createClient(config, { userAgent: 'pod', unauthorizedPausesMs: [] });
    assert.equal(
      await problem(checkCluster(client, OBJECTS)),
      `${cluster.url} refused the credentials (401 Unauthorized): renew token file ${account.folder}/token`,
    );
    account.remove();
    const message = await problem(checkCluster(client, OBJECTS));
    assert.match(message, /^cannot authenticate at https.*ENOENT.*\/token/);
    await client.close();
  });

  test('a server that another CA has signed, and what it was verified with', async () => {
    const account = serviceAccount({ token, ca: rootCertificates[0] ?? '' });
    const { hostname, port } = new URL(cluster.url);
    const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    const client = createClient(await loadKubeConfig('', env, account.folder), {
      userAgent: 'pod',
    });
    const message = await problem(checkCluster(client, OBJECTS));
    assert.equal(
      message.replace(/\(.*\)/, '(…)'),
      `the certificate of ${cluster.url} is not accepted (…): verified with ${account.folder}/ca.crt, which must hold the CA of this cluster`,
    );
    await client.close();
    account.remove();
  });

  test('a server that does not answer is no error: the service starts', async () => {
    const hasty = clientOf(cluster.kubeconfig, { requestTimeoutMs: 500 });
    cluster.pause();
    const paused = await checkCluster(hasty, OBJECTS);
    cluster.resume();
    assert.ok(!paused.reachable);
    assert.match(paused.message, /: no answer within 0.5 s$/);
    await cluster.stopApiServer();
    const stopped = await checkCluster(hasty, OBJECTS);
    await cluster.startApiServer();
    assert.ok(!stopped.reachable);
    assert.match(stopped.message, /: connect: connection refused$/);
    await hasty.close();
    const read = await one(
      readLock(admin, inputOf('host-upgrades', { value: '', resourceVersion: '' })),
    );
    assert.equal(read.type, 'lock.read');
  });
});
