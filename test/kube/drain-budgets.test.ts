import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drainServer, pod, type Refusal } from './drain-server.ts';

const TWO: Refusal = {
  code: 500,
  message:
    'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
};
const VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget.";
const violated = (numbers: string, retryAfter?: string): Refusal => ({
  code: 429,
  message: VIOLATED,
  causes: [
    {
      reason: 'DisruptionBudget',
      message: `The disruption budget guard needs ${numbers} currently`,
    },
  ],
  ...(retryAfter === undefined ? {} : { retryAfter }),
});
const budget = (name: string, selector: object) => ({ metadata: { name }, spec: { selector } });
const budgets = (...items: object[]) => ({ kind: 'PodDisruptionBudgetList', items });

test('trap 26: two budgets for one pod are told at once, by their names', async (t) => {
  const front = pod('web-1', { labels: { app: 'web', tier: 'front' } });
  const { drain, evictions, asked } = await drainServer(t, {
    pods: [front, pod('other')],
    evict: (name) => (name === 'web-1' ? TWO : null),
    other: (path) =>
      path.endsWith('/namespaces/web/poddisruptionbudgets')
        ? budgets(
            budget('b', { matchExpressions: [{ key: 'tier', operator: 'Exists' }] }),
            budget('not', { matchLabels: { app: 'db' } }),
            budget('a', { matchLabels: { app: 'web' } }),
          )
        : undefined,
  });
  const events = await drain();
  assert.deepEqual(events.at(-1), {
    type: 'drain.failed',
    message:
      'pod web/web-1 cannot be evicted: the PodDisruptionBudgets a and b select it, and evictions know no more than one for a pod: change their selectors',
    atMs: 0,
  });
  assert.equal(evictions('web-1').length, 1);
  assert.ok(asked.every(({ atMs }) => atMs === 0));
});

test('trap 26: where budgets may not be listed it is told in the server’s words', async (t) => {
  const { drain } = await drainServer(t, {
    pods: [pod('web-1')],
    evict: () => TWO,
    other: (path) => (path.includes('poddisruptionbudgets') ? { code: 403 } : undefined),
  });
  const [event] = await drain();
  assert.equal(
    event?.type === 'drain.failed' && event.message,
    `pod web/web-1 cannot be evicted: ${TWO.message}`,
  );
});

test('trap 26: another 500 passes', async (t) => {
  const { drain, evictions } = await drainServer(t, {
    pods: [pod('web-1')],
    evict: (_, times) =>
      times < 8 ? { code: 500, message: 'etcdserver: request timed out' } : null,
  });
  const events = await drain();
  assert.deepEqual(events.slice(0, 2), [
    {
      type: 'pod.blocked',
      pod: 'web/web-1',
      budget: null,
      message: 'etcdserver: request timed out',
      retryInMs: 1_000,
      atMs: 0,
    },
    // Pauses of 1, 2, 4, 8, 16, 30 and 30 s, and no further event for the same refusal.
    { type: 'pod.evicted', pod: 'web/web-1', atMs: 91_000 },
  ]);
  assert.deepEqual(
    evictions('web-1').map(({ atMs }) => atMs / 1_000),
    [0, 1, 3, 7, 15, 31, 61, 91],
  );
  assert.equal(events.at(-1)?.type, 'node.drained');
});

test('trap 27: a budget’s refusal is retried when it says, its numbers only shown', async (t) => {
  const { drain, evictions } = await drainServer(t, {
    pods: [pod('web-1')],
    evict: (_, times) => (times === 1 ? violated('11 healthy pods and has 12', '10') : null),
  });
  const events = await drain();
  assert.deepEqual(events[0], {
    type: 'pod.blocked',
    pod: 'web/web-1',
    budget: 'guard',
    message: `${VIOLATED} The disruption budget guard needs 11 healthy pods and has 12 currently`,
    retryInMs: 10_000,
    atMs: 0,
  });
  assert.deepEqual(
    evictions('web-1').map(({ atMs }) => atMs),
    [0, 10_000],
  );
  assert.equal(events.at(-1)?.type, 'node.drained');
});

test('trap 27: flow control is no budget, and is retried just so', async (t) => {
  const { drain, evictions } = await drainServer(t, {
    pods: [pod('told'), pod('untold')],
    evict: (name, times) => {
      if (times > 1) return null;
      const message = 'too many requests, please try again later';
      return { code: 429, message, ...(name === 'told' ? { retryAfter: '1' } : {}) };
    },
  });
  const events = await drain();
  const blocked = events.filter((event) => event.type === 'pod.blocked');
  assert.deepEqual(
    blocked.map(({ pod: name, budget: by, retryInMs }) => [name, by, retryInMs]),
    [
      ['web/told', null, 1_000],
      ['web/untold', null, 5_000],
    ],
  );
  assert.deepEqual(
    [evictions('told'), evictions('untold')].map((sent) => sent.map(({ atMs }) => atMs)),
    [
      [0, 1_000],
      [0, 5_000],
    ],
  );
  assert.equal(events.at(-1)?.type, 'node.drained');
});

test('a pod that stays blocked is told of when the reason changes, not at each try', async (t) => {
  const { drain, evictions } = await drainServer(t, {
    pods: [pod('web-1')],
    evict: (_, times) => violated(`2 healthy pods and has ${times < 4 ? 1 : 2}`),
  });
  const events = await drain({}, 60_000);
  assert.deepEqual(
    events.map((event) => [event.type, event.atMs]),
    [
      ['pod.blocked', 0],
      ['pod.blocked', 15_000],
    ],
  );
  assert.equal(evictions('web-1').length, 12);
});

test('a Retry-After is kept within reason', async (t) => {
  const { drain, evictions } = await drainServer(t, {
    pods: [pod('web-1')],
    evict: (_, times) => violated('2 healthy pods and has 1', times === 1 ? '0' : '999999999'),
  });
  await drain({}, 400_000);
  assert.deepEqual(
    evictions('web-1').map(({ atMs }) => atMs),
    [0, 1_000, 301_000],
  );
});

test('a budget that the refusal does not name is looked for', async (t) => {
  const refusal = { code: 429, message: VIOLATED, causes: [{ reason: 'DisruptionBudget' }] };
  for (const [list, name] of [
    [budgets(budget('a', { matchLabels: { app: 'web-1' } })), 'a'],
    [budgets(budget('a', { matchLabels: { app: 'other' } })), null],
    [{ code: 403 }, null],
    [{ kind: 'Surprise' }, null],
  ] as const) {
    const { drain } = await drainServer(t, {
      pods: [pod('web-1')],
      evict: () => refusal,
      other: (path) => (path.includes('poddisruptionbudgets') ? list : undefined),
    });
    const [event] = await drain({}, 1_000);
    assert.equal(event?.type === 'pod.blocked' ? event.budget : event?.type, name);
  }
});
