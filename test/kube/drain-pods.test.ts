import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drainServer, ownedBy, pod, START_MS, type TestPod } from './drain-server.ts';

const EMPTY_DIR = { volumes: [{ name: 'cache', emptyDir: {} }] };
const at = (offsetMs: number) => new Date(START_MS + offsetMs).toISOString();

/** The one of trap 30: every kind of pod that a node may have. */
function allKinds(): TestPod[] {
  return [
    pod('succeeded', {}, { phase: 'Succeeded' }),
    { ...pod('with-empty-dir', ownedBy('ReplicaSet', 'web')), spec: EMPTY_DIR },
    pod('unmanaged'),
    pod('mirror', { annotations: { 'kubernetes.io/config.mirror': 'hash' } }),
    pod('daemon', ownedBy('DaemonSet', 'agent')),
    pod('orphan', ownedBy('DaemonSet', 'deleted')),
    pod('unknown', ownedBy('DaemonSet', 'forbidden')),
    pod('failed', ownedBy('Job', 'batch'), { phase: 'Failed' }),
  ];
}

function daemonSets(path: string) {
  if (path.endsWith('/daemonsets/agent')) return { kind: 'DaemonSet' };
  if (path.endsWith('/daemonsets/deleted')) return { code: 404 };
  return path.endsWith('/daemonsets/forbidden') ? { code: 403 } : undefined;
}

test('trap 30: mirror pods and those of a DaemonSet stay, all others go, page by page', async (t) => {
  const script = { pods: allKinds(), pageMax: 3, other: daemonSets };
  const { drain, asked, warnings } = await drainServer(t, script);
  const events = await drain();
  const leaving = ['succeeded', 'with-empty-dir', 'unmanaged', 'orphan', 'failed'];
  assert.deepEqual(
    events.filter(({ type }) => type === 'pod.evicted').map((event) => 'pod' in event && event.pod),
    leaving.map((name) => `web/${name}`),
  );
  assert.deepEqual(
    script.pods.map(({ metadata }) => metadata.name),
    ['mirror', 'daemon', 'unknown'],
  );
  const last = events.at(-1);
  assert.equal(
    last?.type === 'node.drained' && last.output,
    [
      'node/node-1 cordoned',
      ...leaving.map((name) => `evicting pod web/${name}`),
      ...leaving.map((name) => `pod/${name} evicted`),
      'node/node-1 drained',
    ].join('\n'),
  );
  assert.deepEqual(warnings, []);
  // Each DaemonSet is looked at once, and only pods of this node are asked for.
  const paths = asked.map(({ path }) => path);
  assert.equal(paths.filter((path) => path.includes('/daemonsets/')).length, 3);
  assert.equal(paths[0], '/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1&limit=50');
});

test('trap 30: a pod that has ended is in nobody’s way, whatever its eviction says', async (t) => {
  const script = {
    pods: [pod('succeeded', {}, { phase: 'Succeeded' }), pod('failed', {}, { phase: 'Failed' })],
    evict: (name: string) => (name === 'failed' ? { code: 403 } : { code: 429 }),
  };
  const { drain, warnings } = await drainServer(t, script);
  assert.deepEqual(
    (await drain()).map(({ type }) => type),
    ['node.drained'],
  );
  assert.deepEqual(warnings.sort(), [
    'pod web/failed, which has ended, is left on the node: pod web/failed cannot be evicted: refused with 403',
    'pod web/succeeded, which has ended, is left on the node: refused with 429',
  ]);
});

test('a pod that ends while it is evicted is waited for: its volumes are still in use', async (t) => {
  const deleting = { deletionTimestamp: at(30_000), deletionGracePeriodSeconds: 30 };
  let pods = [pod('web-1')];
  const { drain, clock } = await drainServer(t, {
    get pods() {
      return pods;
    },
    // What an eviction takes away is for the kubelet to end, which it has all but done.
    set pods(_) {
      pods = [pod('web-1', deleting, { phase: 'Succeeded' })];
    },
  });
  clock.setTimeout(() => {
    pods = [];
  }, 20_000);
  const events = await drain();
  assert.deepEqual(
    events.map(({ type, atMs }) => [type, atMs]),
    [
      ['pod.evicted', 0],
      ['pod.gone', 22_000],
      ['node.drained', 22_000],
    ],
  );
});

test('trap 29: deletion begins where its grace period began, in the past', async (t) => {
  const slow = { deletionTimestamp: at(3_540_000), deletionGracePeriodSeconds: 3_600 };
  const stuck = { deletionTimestamp: at(-600_000), deletionGracePeriodSeconds: 30 };
  const pods = () => [pod('slow', slow), pod('stuck', stuck)];
  // 60 s and 630 s ago.
  for (const [limitS, until] of [
    [0, null],
    [59, 0],
    [61, 3_000],
    [629, 572_000],
    [631, 572_000],
  ] as const) {
    const { drain, asked } = await drainServer(t, { pods: pods() });
    const events = await drain({ skipWaitForDeleteTimeoutS: limitS }, 1_000_000);
    const [event, ...more] = events;
    assert.deepEqual(more, []);
    if (until === null) assert.equal(event, undefined);
    else {
      assert.ok(event?.type === 'node.drained');
      assert.equal(event.atMs, until, `${limitS}`);
      const skips = ['slow', 'stuck'].map(
        (name) => `pod "${name}" has DeletionTimestamp older than ${limitS} seconds, skipping`,
      );
      assert.deepEqual(event.output.split('\n').slice(1, -1).sort(), skips);
    }
    assert.ok(asked.every(({ method }) => method === 'GET'));
  }
});

test('trap 29: nothing of a deletion is in the future, whatever the clocks say', async (t) => {
  const ahead = { deletionTimestamp: at(90_000), deletionGracePeriodSeconds: 30 };
  const { drain } = await drainServer(t, { pods: [pod('ahead', ahead)] });
  const [event] = await drain({ skipWaitForDeleteTimeoutS: 10 });
  assert.equal(event?.atMs, 72_000);
});

test('ten evictions at once, and one that waits takes no place', async (t) => {
  const pods = Array.from({ length: 40 }, (_, index) => pod(`web-${index}`));
  let open = 0;
  let most = 0;
  const { drain, client } = await drainServer(t, {
    pods,
    evict: (_, times) => (times === 1 ? { code: 429 } : null),
  });
  const { request } = client;
  client.request = async (spec, signal) => {
    open += 1;
    most = Math.max(most, open);
    try {
      return await request(spec, signal);
    } finally {
      open -= 1;
    }
  };
  const events = await drain();
  assert.equal(most, 10);
  // Were the pauses in the ten places, this would be 20 s.
  assert.deepEqual(
    events.filter(({ type }) => type === 'pod.evicted').map(({ atMs }) => atMs),
    pods.map(() => 5_000),
  );
  assert.equal(events.at(-1)?.type, 'node.drained');
});

test('an eviction is for exactly this pod, with the grace period that was asked for', async (t) => {
  for (const gracePeriodS of [null, 0, 15]) {
    const { drain, evictions } = await drainServer(t, { pods: [pod('web-1', { uid: 'u-1' })] });
    await drain({ gracePeriodS });
    const grace = gracePeriodS === null ? {} : { gracePeriodSeconds: gracePeriodS };
    assert.deepEqual(evictions('web-1')[0]?.body, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'web-1', namespace: 'web' },
      deleteOptions: { preconditions: { uid: 'u-1' }, ...grace },
    });
  }
});

test('the pods of the selector alone are asked for', async (t) => {
  const { drain, asked } = await drainServer(t, { pods: [] });
  await drain({ podSelector: 'app notin (db),tier' });
  const query = new URLSearchParams(asked[0]?.path.split('?')[1]);
  assert.equal(query.get('labelSelector'), 'app notin (db),tier');
});

/** A cordon does not keep it away. */
const tolerant = (one: ReturnType<typeof pod>) => ({
  ...one,
  spec: { nodeName: 'node-1', tolerations: [{ operator: 'Exists' }] },
});

test('a pod that comes late leaves too, and one that is put back does not', async (t) => {
  const script = {
    pods: [pod('web-1', ownedBy('ReplicaSet', 'web')), pod('db-0', ownedBy('StatefulSet', 'db'))],
  };
  const { drain, clock, evictions } = await drainServer(t, script);
  clock.setTimeout(() => {
    script.pods = [
      pod('db-0', { ...ownedBy('StatefulSet', 'db'), uid: 'db-0-again' }),
      tolerant(pod('web-2', ownedBy('ReplicaSet', 'web'))),
      // Of a controller that was here before; it was bound just ahead of the cordon.
      pod('web-3', ownedBy('ReplicaSet', 'web')),
    ];
  }, 500);
  const events = await drain();
  assert.deepEqual(
    events.map((event) => ('pod' in event ? `${event.type} ${event.pod}` : event.type)),
    [
      'pod.evicted web/web-1',
      'pod.evicted web/db-0',
      'pod.gone web/web-1',
      'pod.gone web/db-0',
      'pod.evicted web/web-3',
      'pod.gone web/web-3',
      'node.drained',
    ],
  );
  assert.equal(evictions('db-0').length, 1);
});

test('it looks less often the longer it takes', async (t) => {
  const deleting = { deletionTimestamp: at(0), deletionGracePeriodSeconds: 0 };
  const { drain, asked } = await drainServer(t, { pods: [pod('web-1', deleting)] });
  await drain({}, 20_000);
  assert.deepEqual(
    asked.map(({ atMs }) => atMs / 1_000),
    [0, 1, 3, 7, 12, 17],
  );
});

test('a node without pods is drained with one request', async (t) => {
  const { drain, asked } = await drainServer(t, { pods: [] });
  assert.deepEqual(await drain(), [
    { type: 'node.drained', output: 'node/node-1 cordoned\nnode/node-1 drained', atMs: 0 },
  ]);
  assert.equal(asked.length, 1);
});
