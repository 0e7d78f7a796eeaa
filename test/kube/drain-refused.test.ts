import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drainServer, pod, type Refusal, START_MS } from './drain-server.ts';

const TERMINATING: Refusal = {
  code: 403,
  message: 'unable to create new content in namespace web because it is being terminated',
  causes: [{ reason: 'NamespaceTerminating', message: 'namespace web is being terminated' }],
};
const deleting = (graceS = 30) => ({
  deletionTimestamp: new Date(START_MS + graceS * 1_000).toISOString(),
  deletionGracePeriodSeconds: graceS,
});

test('trap 28: in a namespace that is being deleted the pod is waited for', async (t) => {
  const script = { pods: [pod('web-1')], evict: () => TERMINATING };
  const { drain, clock, evictions } = await drainServer(t, script);
  clock.setTimeout(() => {
    script.pods = [pod('web-1', deleting())];
  }, 8_000);
  clock.setTimeout(() => {
    script.pods = [];
  }, 40_000);
  const events = await drain();
  assert.deepEqual(
    events.map(({ type }) => type),
    ['pod.blocked', 'pod.gone', 'node.drained'],
  );
  assert.deepEqual(
    evictions('web-1').map(({ atMs }) => atMs),
    [0, 5_000, 10_000],
  );
});

test('trap 28: a pod that is being deleted is only waited for', async (t) => {
  const script = { pods: [pod('web-1', deleting())], evict: () => TERMINATING };
  const { drain, clock, evictions } = await drainServer(t, script);
  clock.setTimeout(() => {
    script.pods = [];
  }, 30_000);
  const events = await drain();
  assert.deepEqual(
    events.map(({ type, atMs }) => [type, atMs]),
    [
      ['pod.gone', 32_000],
      ['node.drained', 32_000],
    ],
  );
  assert.equal(evictions('web-1').length, 0);
});

test('trap 28: a missing permission ends it at once, by the rule to grant', async (t) => {
  const message =
    'pods "web-1" is forbidden: User "runner" cannot create resource "pods/eviction" in API group "" in the namespace "web"';
  const { drain, evictions } = await drainServer(t, {
    pods: [pod('web-1')],
    evict: () => ({ code: 403, message }),
  });
  assert.deepEqual(await drain(), [
    {
      type: 'drain.failed',
      message:
        'pod web/web-1 cannot be evicted: user "runner", by user "test" of the kubeconfig lacks permissions: grant {apiGroups: [""], resources: ["pods/eviction"], verbs: [create]} in the ClusterRole',
      atMs: 0,
    },
  ]);
  assert.equal(evictions('web-1').length, 1);
});

test('what no other try would change ends it in the server’s words', async (t) => {
  for (const [refusal, words] of [
    [{ code: 403, message: 'admission webhook "guard" denied the request' }, /: admission webhook/],
    [{ code: 422, message: 'gracePeriodSeconds is invalid' }, /: gracePeriodSeconds is invalid$/],
    [
      { code: 404, message: 'the server could not find the requested resource' },
      /: the API server has no evictions of policy\/v1 /,
    ],
  ] as const) {
    const { drain } = await drainServer(t, { pods: [pod('web-1')], evict: () => refusal });
    const [event] = await drain();
    assert.ok(event?.type === 'drain.failed');
    assert.match(event.message, words);
    assert.match(event.message, /^pod web\/web-1 cannot be evicted: /);
  }
});

test('trap 28: a pod that is not there any more, or is another one, is gone', async (t) => {
  const answers: Record<string, Refusal> = {
    away: { code: 404, message: 'pods "away" not found' },
    other: {
      code: 409,
      message:
        'Operation cannot be fulfilled on Pod "other": the UID in the precondition (1) does not match the UID in record (2). The object might have been deleted and then recreated',
    },
  };
  const script = {
    pods: [pod('away'), pod('other')],
    evict: (name: string) => {
      script.pods = [pod('other', { uid: 'another' })];
      return answers[name] ?? null;
    },
  };
  const { drain, evictions } = await drainServer(t, script);
  assert.deepEqual(
    (await drain()).map(({ atMs, ...event }) => event),
    [
      { type: 'pod.gone', pod: 'web/away' },
      { type: 'pod.gone', pod: 'web/other' },
      {
        type: 'node.drained',
        output:
          'node/node-1 cordoned\nevicting pod web/away\nevicting pod web/other\npod/away evicted\npod/other evicted\nnode/node-1 drained',
      },
    ],
  );
  // The one that has its name is not this drain's: the node is cordoned.
  assert.equal(evictions('other').length, 1);
});

test('an answer that a pod is gone is not believed while it is there', async (t) => {
  const { drain, evictions } = await drainServer(t, {
    pods: [pod('web-1')],
    evict: (_, times) => (times < 3 ? { code: 404, message: 'pods "web-1" not found' } : null),
  });
  const events = await drain();
  assert.deepEqual(
    events.map(({ type }) => type),
    ['pod.evicted', 'pod.gone', 'node.drained'],
  );
  assert.equal(evictions('web-1').length, 3);
});

test('a conflict over something else than the pod is tried again', async (t) => {
  const { drain } = await drainServer(t, {
    pods: [pod('web-1')],
    evict: (_, times) =>
      times === 1 ? { code: 409, message: 'the object has been modified' } : null,
  });
  assert.deepEqual(
    (await drain()).map(({ type }) => type),
    ['pod.blocked', 'pod.evicted', 'pod.gone', 'node.drained'],
  );
});

test('pods that cannot be listed: a permission ends it, all else is tried again', async (t) => {
  const forbidden =
    'pods is forbidden: User "runner" cannot list resource "pods" in API group "" at the cluster scope';
  for (const [refusal, words] of [
    [
      { code: 403, message: forbidden },
      /"runner", by .* grant \{.*\["pods"\], verbs: \[list\]\} in the ClusterRole$/,
    ],
    [{ code: 400, message: 'unable to parse requirement' }, /: unable to parse requirement$/],
  ] as const) {
    const { drain } = await drainServer(t, { pods: [], other: () => refusal });
    const [event] = await drain();
    assert.ok(event?.type === 'drain.failed');
    assert.match(event.message, /^the pods of node node-1 cannot be listed: /);
    assert.match(event.message, words);
  }
  let times = 0;
  const answers = [
    { code: 503, message: 'apiserver is shutting down' },
    { code: 503, message: 'apiserver is shutting down' },
    { kind: 'Surprise' },
    { code: 410, message: 'The provided continue parameter is too old' },
  ];
  const { drain, warnings } = await drainServer(t, {
    pods: [],
    other: () => {
      times += 1;
      return answers[times - 1];
    },
  });
  assert.deepEqual(
    (await drain()).map(({ type, atMs }) => [type, atMs]),
    [['node.drained', 15_000]],
  );
  assert.deepEqual(warnings, [
    'the pods of node node-1 cannot be listed, retrying: apiserver is shutting down',
    'the pods of node node-1 cannot be listed, retrying: the answer is not a PodList: {"kind":"Surprise"}',
    'the pods of node node-1 cannot be listed, retrying: The provided continue parameter is too old',
  ]);
});
