import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { KubeClient } from '../../src/kube/client.ts';
import { ApiError } from '../../src/kube/errors.ts';
import { clientOf, MERGE_PATCH } from '../kube/objects.ts';
import type { ConformanceServer } from './suite.ts';

const PODS = '/api/v1/namespaces/default/pods';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

interface PodOptions {
  node?: string;
  app?: string;
  phase?: string;
  isReady?: boolean;
}

/** What a drain relies on of an API server: the same for the embedded and the real one. */
export function podConformance(
  name: string,
  options: { skip: string | false },
  start: () => Promise<ConformanceServer>,
): void {
  describe(`pod conformance: ${name}`, options, () => {
    let server: ConformanceServer;
    let client: KubeClient;
    before(async () => {
      server = await start();
      client = clientOf(server.kubeconfig);
    });
    after(async () => {
      await client?.close();
      await server?.stop();
    });

    const send = async (path: string, method: string, body?: unknown, type?: string) =>
      server.request(path, {
        method,
        ...(body === undefined ? {} : { body }),
        ...(type === undefined ? {} : { type }),
      });
    const createPod = async (
      pod: string,
      { node = 'node-1', app = pod, phase = 'Running', isReady = true }: PodOptions = {},
    ) => {
      const created = await send(PODS, 'POST', {
        metadata: { name: pod, namespace: 'default', labels: { app, pod } },
        spec: { nodeName: node, containers: [{ name: 'main', image: 'example/none' }] },
      });
      assert.equal(created.status, 201);
      const status = { phase, conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] };
      const type = 'application/strategic-merge-patch+json';
      assert.equal((await send(`${PODS}/${pod}/status`, 'PATCH', { status }, type)).status, 200);
      return created.body;
    };
    const createBudget = async (budget: string, selector: object, status: object | null) => {
      const created = await send(BUDGETS, 'POST', {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: budget, namespace: 'default' },
        spec: { minAvailable: 1, selector },
      });
      assert.equal(created.status, 201);
      if (status !== null) await setBudget(budget, { observedGeneration: 1, ...status });
    };
    const setBudget = async (budget: string, status: object) => {
      const needed = {
        currentHealthy: 2,
        desiredHealthy: 2,
        expectedPods: 2,
        disruptionsAllowed: 0,
      };
      const body = { status: { ...needed, ...status } };
      const answer = await send(`${BUDGETS}/${budget}/status`, 'PATCH', body, MERGE_PATCH);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    };
    const eviction = (pod: string) => ({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: pod, namespace: 'default' },
    });
    const evict = async (pod: string, deleteOptions?: object) =>
      send(`${PODS}/${pod}/eviction`, 'POST', {
        ...eviction(pod),
        ...(deleteOptions === undefined ? {} : { deleteOptions }),
      });
    /** Of a refused eviction. */
    const retryAfterS = async (pod: string) => {
      const path = `${PODS}/${pod}/eviction`;
      const error = await client
        .request({ method: 'POST', path, body: eviction(pod), is429Final: true })
        .then(
          () => assert.fail('it was not refused'),
          (thrown: unknown) => thrown,
        );
      assert.ok(error instanceof ApiError);
      return error.retryAfterS;
    };
    const list = async (query: Record<string, string>) => {
      const { body } = await server.request(`/api/v1/pods?${new URLSearchParams(query)}`);
      return body;
    };
    const names = (body: { items: { metadata: { name: string } }[] }) =>
      body.items.map(({ metadata }) => metadata.name);
    const allowed = async (budget: string) =>
      (await server.request(`${BUDGETS}/${budget}`)).body.status.disruptionsAllowed;

    test('pods are listed by node and labels, of all namespaces', async () => {
      await createPod('listed-b', { node: 'listed' });
      await createPod('listed-a', { node: 'listed', app: 'other' });
      await createPod('elsewhere', { node: 'listed-2' });
      const fieldSelector = 'spec.nodeName=listed';
      const body = await list({ fieldSelector });
      assert.deepEqual([body.kind, body.apiVersion], ['PodList', 'v1']);
      assert.deepEqual(names(body), ['listed-a', 'listed-b']);
      for (const [labelSelector, expected] of [
        ['app=other', ['listed-a']],
        ['app==other', ['listed-a']],
        ['app!=other', ['listed-b']],
        ['none!=x,app', ['listed-a', 'listed-b']],
        ['!none,pod in (listed-b, x)', ['listed-b']],
        ['pod notin (listed-b,x)', ['listed-a']],
        ['none', []],
      ] as const) {
        assert.deepEqual(
          names(await list({ fieldSelector, labelSelector })),
          expected,
          labelSelector,
        );
      }
    });

    test('a selector that is none is refused', async () => {
      const query = new URLSearchParams({ labelSelector: 'a=b=c' });
      const { status, body } = await server.request(`/api/v1/pods?${query}`);
      assert.deepEqual([status, body.kind, body.reason], [400, 'Status', 'BadRequest']);
    });

    test('a long list comes in pages', async () => {
      for (const pod of ['page-1', 'page-2', 'page-3', 'page-4', 'page-5']) {
        await createPod(pod, { node: 'paged' });
      }
      const fieldSelector = 'spec.nodeName=paged';
      const seen: string[] = [];
      let next = '';
      do {
        const token: Record<string, string> = next === '' ? {} : { continue: next };
        const body = await list({ fieldSelector, limit: '2', ...token });
        seen.push(names(body).join());
        next = body.metadata.continue ?? '';
        // What was on an earlier page is no more: the next ones lose and repeat nothing for it.
        await send(`${PODS}/page-1?gracePeriodSeconds=0`, 'DELETE');
      } while (next !== '');
      assert.deepEqual(seen, ['page-1,page-2', 'page-3,page-4', 'page-5']);
      const whole = await list({ fieldSelector, limit: '4' });
      assert.equal(whole.metadata.continue ?? '', '');
    });

    test('an eviction gives the pod its grace period, from now on', async () => {
      for (const [pod, deleteOptions, graceS] of [
        ['graceful', undefined, 30],
        ['hasty', { gracePeriodSeconds: 5 }, 5],
      ] as const) {
        await createPod(pod);
        const { status, body } = await evict(pod, deleteOptions);
        assert.deepEqual([status, body.kind, body.status], [201, 'Status', 'Success']);
        const { metadata } = (await server.request(`${PODS}/${pod}`)).body;
        assert.equal(metadata.deletionGracePeriodSeconds, graceS);
        const inS = (Date.parse(metadata.deletionTimestamp) - Date.now()) / 1_000;
        assert.ok(inS > graceS - 20 && inS <= graceS + 1, `in ${inS} s`);
        // Once more is not longer.
        assert.equal((await evict(pod, { gracePeriodSeconds: 600 })).status, 201);
        const again = (await server.request(`${PODS}/${pod}`)).body.metadata;
        assert.equal(again.deletionTimestamp, metadata.deletionTimestamp);
      }
    });

    test('without a grace period, or already ended, a pod is gone with its eviction', async () => {
      await createPod('at-once');
      await createPod('ended', { phase: 'Succeeded' });
      await createPod('broken', { phase: 'Failed' });
      assert.equal((await evict('at-once', { gracePeriodSeconds: 0 })).status, 201);
      assert.equal((await evict('ended')).status, 201);
      assert.equal((await evict('broken')).status, 201);
      for (const pod of ['at-once', 'ended', 'broken']) {
        assert.equal((await server.request(`${PODS}/${pod}`)).status, 404);
      }
    });

    test('what is deleted without a grace period is gone, with one it is on its way', async () => {
      await createPod('deleted');
      assert.equal((await send(`${PODS}/deleted`, 'DELETE')).status, 200);
      const { metadata } = (await server.request(`${PODS}/deleted`)).body;
      assert.equal(metadata.deletionGracePeriodSeconds, 30);
      assert.equal((await send(`${PODS}/deleted?gracePeriodSeconds=0`, 'DELETE')).status, 200);
      assert.equal((await server.request(`${PODS}/deleted`)).status, 404);
    });

    test('an eviction of a pod that is not there, and of another one of its name', async () => {
      const missing = await evict('nowhere');
      assert.deepEqual([missing.status, missing.body.reason], [404, 'NotFound']);
      assert.equal(missing.body.message, 'pods "nowhere" not found');
      const { metadata } = await createPod('another');
      const uid = '00000000-0000-0000-0000-000000000000';
      const other = await evict('another', { preconditions: { uid } });
      assert.deepEqual([other.status, other.body.reason], [409, 'Conflict']);
      assert.equal(
        other.body.message,
        `Operation cannot be fulfilled on Pod "another": the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
      );
      assert.equal((await evict('another', { preconditions: { uid: metadata.uid } })).status, 201);
    });

    test('a budget that allows nothing refuses in these words, and says no time', async () => {
      await createBudget('strict', { matchLabels: { app: 'strict' } }, {});
      await createPod('strict-1', { app: 'strict' });
      const { status, body } = await evict('strict-1');
      assert.equal(status, 429);
      assert.deepEqual(body, {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        reason: 'TooManyRequests',
        details: {
          causes: [
            {
              reason: 'DisruptionBudget',
              message: 'The disruption budget strict needs 2 healthy pods and has 2 currently',
            },
          ],
        },
        code: 429,
      });
      assert.equal(await retryAfterS('strict-1'), null);
      assert.equal(
        (await server.request(`${PODS}/strict-1`)).body.metadata.deletionTimestamp,
        undefined,
      );
    });

    test('a budget that its controller has not seen yet refuses for ten seconds', async () => {
      await createBudget('new', { matchLabels: { app: 'new' } }, null);
      await createPod('new-1', { app: 'new' });
      const { status, body } = await evict('new-1');
      assert.equal(status, 429);
      assert.deepEqual(body.details, {
        causes: [
          {
            reason: 'DisruptionBudget',
            message: 'The disruption budget new is still being processed by the server.',
          },
        ],
        retryAfterSeconds: 10,
      });
      assert.equal(await retryAfterS('new-1'), 10);
    });

    test('an eviction takes one disruption from the budget', async () => {
      await createBudget('one', { matchLabels: { app: 'one' } }, { disruptionsAllowed: 1 });
      await createPod('one-1', { app: 'one' });
      await createPod('one-2', { app: 'one' });
      assert.equal((await evict('one-1')).status, 201);
      assert.equal(await allowed('one'), 0);
      assert.equal((await evict('one-2')).status, 429);
      // One that is on its way out is no disruption any more.
      assert.equal((await evict('one-1')).status, 201);
      await setBudget('one', { disruptionsAllowed: 1 });
      assert.equal((await evict('one-2')).status, 201);
    });

    test('pods that disrupt nothing go whatever the budget allows', async () => {
      await createBudget('kept', { matchLabels: { app: 'kept' } }, {});
      await createPod('kept-pending', { app: 'kept', phase: 'Pending' });
      await createPod('kept-ended', { app: 'kept', phase: 'Failed' });
      // The budget is met without it.
      await createPod('kept-unready', { app: 'kept', isReady: false });
      for (const pod of ['kept-pending', 'kept-ended', 'kept-unready']) {
        assert.equal((await evict(pod)).status, 201, pod);
      }
      await createPod('kept-needed', { app: 'kept', isReady: false });
      await setBudget('kept', { currentHealthy: 1 });
      assert.equal((await evict('kept-needed')).status, 429);
    });

    test('two budgets for one pod are an error each time', async () => {
      await createBudget('both-a', { matchLabels: { app: 'both' } }, { disruptionsAllowed: 1 });
      const both = { matchExpressions: [{ key: 'app', operator: 'In', values: ['both'] }] };
      await createBudget('both-b', both, { disruptionsAllowed: 1 });
      await createPod('both-1', { app: 'both' });
      const { status, body } = await evict('both-1');
      assert.equal(status, 500);
      assert.deepEqual(body, {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message:
          'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
        code: 500,
      });
    });

    test('a node is cordoned by a merge patch that holds for one version of it', async () => {
      const created = await send('/api/v1/nodes', 'POST', { metadata: { name: 'node-9' } });
      const { resourceVersion } = created.body.metadata;
      const patch = (annotation: string | null, unschedulable: true | null, version: string) =>
        send(
          '/api/v1/nodes/node-9',
          'PATCH',
          {
            metadata: { resourceVersion: version, annotations: { drain: annotation } },
            spec: { unschedulable },
          },
          MERGE_PATCH,
        );
      const cordoned = await patch('true', true, resourceVersion);
      assert.equal(cordoned.status, 200);
      const { metadata, spec } = cordoned.body;
      assert.deepEqual([metadata.annotations, spec.unschedulable], [{ drain: 'true' }, true]);
      const stale = await patch(null, null, resourceVersion);
      assert.deepEqual([stale.status, stale.body.reason], [409, 'Conflict']);
      const { body } = await patch(null, null, metadata.resourceVersion);
      assert.deepEqual(
        [body.metadata.annotations, body.spec.unschedulable],
        [undefined, undefined],
      );
      // What is not there can be taken away.
      const again = await patch(null, null, body.metadata.resourceVersion);
      assert.equal(again.body.metadata.resourceVersion, body.metadata.resourceVersion);
    });

    test('budgets are listed with their selectors', async () => {
      await createBudget('in-list', { matchLabels: { app: 'in-list' } }, null);
      const { status, body } = await server.request(BUDGETS);
      assert.deepEqual([status, body.kind], [200, 'PodDisruptionBudgetList']);
      const found = body.items.find(
        ({ metadata }: { metadata: { name: string } }) => metadata.name === 'in-list',
      );
      assert.deepEqual(found.spec.selector, { matchLabels: { app: 'in-list' } });
    });
  });
}
