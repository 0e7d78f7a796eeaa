import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { RunEvent } from '../../machines/events.ts';
import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import { draw } from '../../machines/random.ts';
import { acquireLock, readLock, releaseLock } from '../../src/kube/lock.ts';
import { createNode } from '../../src/kube/node.ts';
import { WATCH_LIMITS, watchLock } from '../../src/kube/watch.ts';
import { all, inputOf, one } from './objects.ts';
import { scripted } from './scripted-server.ts';
import { daemonSet } from './virtual.ts';

const INPUT = inputOf('host-upgrades', { value: '', resourceVersion: '7' });
const REPORT = { node: 'node-1', status: { rebootRequired: false, detail: '' }, error: null };
const LIMITS = { ...WATCH_LIMITS, stallMs: 500, probeMs: 200 };

type Send = (response: ServerResponse) => void;
const send =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): Send =>
  (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
const json = (body: unknown) => send(200, JSON.stringify(body));
const PAGE = '<html>\n<head><title>502 Bad Gateway</title></head>\n<body>nginx</body></html>';

/** Megabytes until the client has had enough. */
const endless: Send = (response) => {
  const chunk = Buffer.alloc(1_000_000, 'x');
  const more = () => {
    if (!response.destroyed) response.write(chunk, () => setImmediate(more));
  };
  more();
};

/** Each server's answer, and how it is told. */
const ANSWERS: [string, Send, RegExp][] = [
  ['a proxy’s error page', send(502, PAGE), /^HTTP status 502 with <html> <head><title>502 Bad/],
  ['a page instead of an object', send(200, PAGE), /^the answer is not JSON: <html> <head>/],
  ['an empty answer', send(200, ''), /^the answer is empty$/],
  ['no content', send(204, ''), /^the answer is empty$/],
  ['an empty refusal', send(500, ''), /^HTTP status 500$/],
  ['a login page', send(302, '', { location: 'https://login.example/' }), /^HTTP status 302$/],
  ['half an object', send(200, '{"kind":"DaemonSet","meta'), /^the answer is not JSON: /],
  ['bytes', send(200, Buffer.from([0, 255, 254, 10, 13])), /^the answer is not JSON: /],
  ['a Status with 200', json({ kind: 'Status', status: 'Failure' }), /^the answer is not a /],
  ['null', json(null), /^the answer is not a DaemonSet with a version: null$/],
  ['a list', json([]), /^the answer is not a DaemonSet/],
  [
    'another kind',
    json({ ...(daemonSet('', '8') as object), kind: 'Pod' }),
    /^the answer is not a DaemonSet/,
  ],
  ['no version', json({ kind: 'DaemonSet', metadata: {} }), /^the answer is not a DaemonSet/],
  ['an empty version', json(daemonSet(null, '')), /^the answer is not a DaemonSet/],
  [
    'annotations that are none',
    json({ kind: 'DaemonSet', metadata: { resourceVersion: '8', annotations: 'x' } }),
    /^the answer is not a DaemonSet/,
  ],
  [
    'a holder that is no name',
    json({
      kind: 'DaemonSet',
      metadata: { resourceVersion: '8', annotations: { [LOCK_ANNOTATION]: 7 } },
    }),
    /^the answer is not a DaemonSet/,
  ],
  ['too much', endless, /^the answer is not shorter than 8388608 bytes: x{80}\.\.\.$/],
];

for (const [name, answer, expected] of ANSWERS) {
  test(`${name} is a failed request, never a free lock`, { timeout: 30_000 }, async (t) => {
    const { client } = await scripted(t, (_, response) => answer(response));
    for (const [call, prefix] of [
      [readLock, 'Get: '],
      [acquireLock, ''],
      [releaseLock, ''],
    ] as const) {
      const event = await one(call(client, INPUT));
      assert.ok(event.type === 'api.failed', JSON.stringify(event));
      assert.ok(event.message.startsWith(prefix));
      assert.match(event.message.slice(prefix.length), expected);
      assert.doesNotMatch(event.message, /\n/);
    }
    const [watched] = await all(watchLock(client, INPUT, LIMITS));
    assert.equal(watched?.type, 'api.failed', JSON.stringify(watched));
    const warnings: string[] = [];
    const node = createNode(client, 'node-1', Date.now, (message) => warnings.push(message));
    assert.deepEqual(await one(node.report(REPORT)), { type: 'node.reported' });
    await assert.rejects(node.load());
  });
}

test('annotations that are null, or not there, are a free lock', async (t) => {
  for (const metadata of [{ resourceVersion: '8', annotations: null }, { resourceVersion: '8' }]) {
    const answer = json({ kind: 'DaemonSet', metadata, status: null });
    const { client } = await scripted(t, (_, response) => answer(response));
    const lock = { value: '', resourceVersion: '8' };
    assert.deepEqual(await one(readLock(client, INPUT)), { type: 'lock.read', lock });
  }
});

/** Draws of a seed, the same each time. */
function dice(seed: number) {
  let next = seed;
  const below = (limit: number) => {
    const { value, seed: after } = draw(next);
    next = after;
    return Math.floor(value * limit);
  };
  return { below, of: <T>(items: T[]): T => items[below(items.length)] as T };
}

/** Any JSON, often near to what is expected. */
function anything({ below, of }: ReturnType<typeof dice>, depth = 0): unknown {
  const leaves = [null, true, 0, -1, 1e308, '', 'x', '8', 'DaemonSet', 'é\u0000\n', [], {}];
  if (depth > 3 || below(3) === 0) return of(leaves);
  const keys = ['kind', 'metadata', 'status', 'annotations', 'resourceVersion', 'type', 'object'];
  const size = below(5);
  const entries = Array.from({ length: size }, () => {
    const key = of([...keys, LOCK_ANNOTATION, '__proto__', 'message', 'code']);
    return [key, anything({ below, of }, depth + 1)];
  });
  return below(4) === 0 ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

const UPDATED = ['lock.updated', 'lock.conflicted', 'api.failed'];
/** What ends each call: in other states of the machine these events say nothing. */
const ENDS = [['lock.read', 'api.failed'], UPDATED, UPDATED, ['lock.watch.ended', 'api.failed']];

/** What may be read as a lock: a DaemonSet with a version, and annotations or none. */
function isDaemonSet(body: unknown): boolean {
  const { kind, metadata } = (body ?? {}) as { kind?: unknown; metadata?: unknown };
  const { resourceVersion, annotations } = (metadata ?? {}) as Record<string, unknown>;
  return (
    kind === 'DaemonSet' &&
    typeof resourceVersion === 'string' &&
    resourceVersion !== '' &&
    (annotations === undefined || annotations === null || typeof annotations === 'object')
  );
}

test('whatever an API server answers is one event, and no throw', {
  timeout: 120_000,
}, async (t) => {
  let body: unknown;
  let text = '';
  let status = 200;
  const { client } = await scripted(t, (_, response) => send(status, text)(response));
  for (let seed = 1; seed <= 400; seed += 1) {
    const draws = dice(seed);
    body = anything(draws);
    const whole = JSON.stringify(body);
    text = draws.below(4) === 0 ? whole.slice(0, draws.below(whole.length)) : `${whole}\n`;
    status = draws.of([200, 200, 200, 201, 400, 403, 404, 409, 410, 422, 500, 503, 599]);
    const seen: RunEvent[] = [];
    for (const call of [readLock, acquireLock, releaseLock]) {
      const events = await all(call(client, INPUT));
      assert.equal(events.length, 1, `seed ${seed}`);
      seen.push(...events);
    }
    seen.push(...(await all(watchLock(client, INPUT, LIMITS))).slice(-1));
    const types = seen.map(({ type }) => type);
    types.forEach((type, index) => {
      assert.ok(ENDS[index]?.includes(type), `seed ${seed}: ${index} ${type}`);
    });
    const isTaken = types.includes('lock.read') || types.includes('lock.updated');
    assert.ok(!isTaken || (status < 300 && isDaemonSet(body)), `seed ${seed}: ${text}`);
  }
});
