import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { review } from '../../src/kube/access.ts';
import { accessesOf } from '../../src/kube/rbac.ts';
import { missing } from '../cluster/build.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import {
  clientOf,
  createDaemonSet,
  createNode,
  daemonSetPath,
  MERGE_PATCH,
} from '../kube/objects.ts';
import { requires } from '../requires.ts';
import { accountToken } from './account.ts';
import { type Kubectl, kubectlFor } from './kubectl.ts';
import { DEPLOY, grantedRules, manifest, manifestNames } from './manifests.ts';

const APPLY = ['apply', '-k', DEPLOY, '--validate=strict'];
const OBJECTS = { namespace: 'kube-system', daemonSet: 'host-upgrades', node: 'node-1' };

interface Named {
  kind: string;
  metadata: { name: string; namespace?: string };
}

/** Everything of `wanted` is in `live`; lists are the same length. */
function assertHolds(live: unknown, wanted: unknown, path: string): void {
  if (typeof wanted !== 'object' || wanted === null) {
    assert.deepEqual(live, wanted, path);
    return;
  }
  assert.ok(typeof live === 'object' && live !== null, `${path} is not there`);
  if (Array.isArray(wanted)) assert.equal((live as unknown[]).length, wanted.length, path);
  for (const [key, value] of Object.entries(wanted)) {
    assertHolds((live as Record<string, unknown>)[key], value, `${path}.${key}`);
  }
}

describe(
  'kubectl apply -k deploy/, on a real API server',
  requires('control plane', missing()),
  () => {
    let cluster: Cluster;
    let kubectl: Kubectl;
    let token: string;
    before(async () => {
      cluster = await startCluster();
      kubectl = kubectlFor(cluster);
    });
    after(async () => {
      kubectl.remove();
      await cluster.stop();
    });

    test('every object is created, and a second time changes nothing', () => {
      const count = manifestNames().length;
      const words = (text: string) =>
        text
          .trim()
          .split('\n')
          .map((line) => line.split(' ').at(-1));
      assert.deepEqual(words(kubectl(APPLY)), Array(count).fill('created'));
      assert.deepEqual(words(kubectl(APPLY)), Array(count).fill('unchanged'));
    });

    test('what is there is what is written: nothing was dropped on the way', () => {
      for (const name of manifestNames()) {
        const wanted = manifest<Named>(name);
        const { namespace = 'default', name: object } = wanted.metadata;
        const json = kubectl([
          'get',
          wanted.kind,
          object,
          `--namespace=${namespace}`,
          '-o',
          'json',
        ]);
        assertHolds(JSON.parse(json), wanted, name);
      }
    });

    test('a field that the API does not know is refused', () => {
      const wrong = { ...manifest<object>('serviceaccount.yaml'), secret: [] };
      assert.throws(
        () => kubectl(['apply', '-f', '-', '--validate=strict'], wrong),
        /unknown field "secret"/,
      );
    });

    test('the pod is one that the API server takes on a node, as the DaemonSet makes it', async () => {
      const { body } = await cluster.request(daemonSetPath('host-upgrades'));
      const answer = await cluster.request('/api/v1/namespaces/kube-system/pods?dryRun=All', {
        method: 'POST',
        body: { ...body.spec.template, metadata: { name: 'pod', ...body.spec.template.metadata } },
      });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      assert.equal(answer.body.spec.priority, 2_000_001_000);
    });

    test('its account may do each thing that its rules say', async () => {
      token = await accountToken(cluster);
      const client = clientOf(cluster.kubeconfig, { token });
      for (const access of accessesOf(grantedRules())) {
        assert.equal(await review(client, access, OBJECTS), true, JSON.stringify(access));
      }
      await client.close();
    });

    test('and nothing else', async () => {
      const other = { namespace: 'kube-system', name: 'kube-proxy' };
      const own = { namespace: 'kube-system', name: 'host-upgrades' };
      const denied: [verb: string, resource: string, more?: object][] = [
        ['patch', 'apps/daemonsets', other],
        ['watch', 'apps/daemonsets', other],
        ['watch', 'apps/daemonsets', { namespace: 'kube-system' }],
        ['list', 'apps/daemonsets'],
        ['update', 'apps/daemonsets', own],
        ['delete', 'apps/daemonsets', own],
        ['patch', 'apps/daemonsets', { ...own, namespace: 'default' }],
        ['get', '/secrets'],
        ['get', '/configmaps', own],
        ['delete', '/pods'],
        ['create', '/pods'],
        ['create', '/pods/exec'],
        ['delete', '/nodes'],
        ['update', '/nodes'],
        ['list', '/nodes'],
        ['create', '/nodes/proxy'],
        ['update', '/nodes/status'],
        ['patch', 'policy/poddisruptionbudgets'],
        ['delete', 'policy/poddisruptionbudgets'],
        ['create', '/serviceaccounts/token', own],
        ['escalate', 'rbac.authorization.k8s.io/clusterroles'],
        ['impersonate', '/users'],
      ];
      for (const [verb, resource, more] of denied) {
        const [group, name, subresource = ''] = resource.split('/');
        const attributes = { group, resource: name, subresource, verb, ...more };
        const { body } = await cluster.request(
          '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
          {
            method: 'POST',
            token,
            body: {
              apiVersion: 'authorization.k8s.io/v1',
              kind: 'SelfSubjectAccessReview',
              spec: { resourceAttributes: attributes },
            },
          },
        );
        assert.equal(body.status.allowed, false, JSON.stringify(attributes));
      }
    });

    test('requests are answered as the reviews say', async () => {
      await createDaemonSet(cluster, 'kube-proxy');
      await createNode(cluster, 'node-1');
      const ask = async (method: string, path: string, body?: unknown) => {
        const type = body === undefined ? {} : { body, type: MERGE_PATCH };
        return (await cluster.request(path, { method, token, ...type })).status;
      };
      const label = { metadata: { annotations: { tried: 'true' } } };
      assert.equal(await ask('PATCH', daemonSetPath('host-upgrades'), label), 200);
      assert.equal(await ask('PATCH', daemonSetPath('kube-proxy'), label), 403);
      assert.equal(await ask('PATCH', '/api/v1/nodes/node-1', label), 200);
      assert.equal(await ask('DELETE', '/api/v1/nodes/node-1'), 403);
      assert.equal(await ask('GET', '/api/v1/namespaces/kube-system/secrets'), 403);
      assert.equal(await ask('GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1'), 200);
    });
  },
);
