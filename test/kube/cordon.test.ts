import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DRAIN_ANNOTATION } from '../../src/kube/annotations.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { cordonNode, uncordonNode } from '../../src/kube/cordon.ts';
import { missing } from '../cluster/build.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { requires } from '../requires.ts';
import { clientOf, createNode, MERGE_PATCH, one } from './objects.ts';

describe('cordoning on a real API server', requires('control plane', missing()), () => {
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

  const path = (name: string) => `/api/v1/nodes/${name}`;
  const patch = async (name: string, body: unknown) => {
    const init = { method: 'PATCH', type: MERGE_PATCH, body };
    const { status } = await cluster.request(path(name), init);
    assert.equal(status, 200);
  };
  const read = async (name: string) => {
    const { body } = await cluster.request(path(name));
    const { annotations = {}, resourceVersion } = body.metadata;
    const { unschedulable = false } = body.spec;
    return { unschedulable, drain: annotations[DRAIN_ANNOTATION], annotations, resourceVersion };
  };
  /** A client whose first `times` patches come after somebody else's change of the Node. */
  const outrun = (name: string, times: number, body: (count: number) => unknown): KubeClient => {
    let count = 0;
    return {
      ...client,
      request: async (spec, signal) => {
        if (spec.method === 'PATCH' && count < times) {
          count += 1;
          await patch(name, body(count));
        }
        return client.request(spec, signal);
      },
    };
  };

  test('a node is cordoned and marked in one change, and uncordoned in one', async () => {
    await createNode(cluster, 'plain');
    await patch('plain', { metadata: { annotations: { other: 'stays' } } });
    let writes = 0;
    const counted: KubeClient = {
      ...client,
      request: (spec, signal) => {
        if (spec.method !== 'GET') writes += 1;
        return client.request(spec, signal);
      },
    };
    assert.deepEqual(await one(cordonNode(counted, 'plain')), {
      type: 'node.cordoned',
      before: false,
    });
    const cordoned = await read('plain');
    assert.deepEqual([cordoned.unschedulable, cordoned.drain, writes], [true, 'true', 1]);
    assert.deepEqual(await one(uncordonNode(counted, 'plain')), {
      type: 'node.uncordoned',
      done: true,
    });
    const { unschedulable, drain, annotations } = await read('plain');
    assert.deepEqual([unschedulable, drain, writes], [false, undefined, 2]);
    assert.equal(annotations.other, 'stays');
  });

  test('a node that somebody else cordoned stays as it is, before and after', async () => {
    await createNode(cluster, 'theirs');
    await patch('theirs', { spec: { unschedulable: true } });
    const found = await read('theirs');
    assert.deepEqual(await one(cordonNode(client, 'theirs')), {
      type: 'node.cordoned',
      before: true,
    });
    assert.deepEqual(await one(uncordonNode(client, 'theirs')), {
      type: 'node.uncordoned',
      done: false,
    });
    const { resourceVersion: _, ...left } = await read('theirs');
    const { resourceVersion: __, ...before } = found;
    assert.deepEqual(left, before);
  });

  test('a cordon that got no answer and comes late fails, once the node is uncordoned', async () => {
    await createNode(cluster, 'late');
    const held = Promise.withResolvers<void>();
    const late: KubeClient = {
      ...client,
      request: async (spec, signal) => {
        if (spec.method === 'PATCH') await held.promise;
        return client.request(spec, signal);
      },
    };
    // Once, as on the wire: whoever sent it has given up, and does not try again.
    const { resourceVersion } = await read('late');
    const sent = late.request({
      method: 'PATCH',
      path: path('late'),
      contentType: MERGE_PATCH,
      body: {
        metadata: { resourceVersion, annotations: { [DRAIN_ANNOTATION]: 'true' } },
        spec: { unschedulable: true },
      },
    });
    const outcome = assert.rejects(sent, { code: 409 });
    const done = { type: 'node.uncordoned', done: false };
    assert.deepEqual(await one(uncordonNode(client, 'late')), done);
    held.resolve();
    await outcome;
    const { unschedulable, annotations } = await read('late');
    assert.deepEqual([unschedulable, Object.keys(annotations)], [false, []]);
  });

  test('a node that a killed process cordoned is still this program’s', async () => {
    await createNode(cluster, 'again');
    await one(cordonNode(client, 'again'));
    const found = await read('again');
    const again = { type: 'node.cordoned', before: false };
    assert.deepEqual(await one(cordonNode(client, 'again')), again);
    assert.deepEqual(await read('again'), found);
    await patch('again', { spec: { unschedulable: null } });
    assert.deepEqual(await one(cordonNode(client, 'again')), again);
    assert.equal((await read('again')).unschedulable, true);
  });

  test('a Node that changes in between is read again', async () => {
    await createNode(cluster, 'busy');
    const busy = outrun('busy', 2, (count) => ({ metadata: { annotations: { n: `${count}` } } }));
    assert.deepEqual(await one(cordonNode(busy, 'busy')), { type: 'node.cordoned', before: false });
    assert.equal((await read('busy')).drain, 'true');
  });

  test('somebody who cordons it in between has cordoned it', async () => {
    await createNode(cluster, 'raced');
    const raced = outrun('raced', 1, () => ({ spec: { unschedulable: true } }));
    assert.deepEqual(await one(cordonNode(raced, 'raced')), {
      type: 'node.cordoned',
      before: true,
    });
    assert.equal((await read('raced')).drain, undefined);
  });

  test('a Node that goes on changing is a failure in the server’s words', async () => {
    await createNode(cluster, 'restless');
    const restless = outrun('restless', 99, (count) => ({
      metadata: { annotations: { n: `${count}` } },
    }));
    assert.deepEqual(await one(cordonNode(restless, 'restless')), {
      type: 'api.failed',
      message:
        'Operation cannot be fulfilled on nodes "restless": the object has been modified; please apply your changes to the latest version and try again',
      code: 409,
    });
    assert.equal((await read('restless')).unschedulable, false);
  });

  test('a Node that is not there is a failure', async () => {
    for (const work of [cordonNode, uncordonNode]) {
      assert.deepEqual(await one(work(client, 'nowhere')), {
        type: 'api.failed',
        message: 'nodes "nowhere" not found',
        code: 404,
      });
    }
  });
});
