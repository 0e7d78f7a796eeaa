import assert from 'node:assert/strict';
import { json } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { KubeConfig, type V1DaemonSet } from '@kubernetes/client-node';
import { Subject } from 'rxjs';
import { createActor, fromEventObservable, waitFor } from 'xstate';
import type { RunEvent } from '../../machines/events.ts';
import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import { runMachine } from '../../machines/run.ts';
import { kubeActors } from '../../src/kube/actors.ts';
import { type ClientOptions, createClient, UNAUTHORIZED_PAUSES_MS } from '../../src/kube/client.ts';
import { acquireLock, readLock, releaseLock } from '../../src/kube/lock.ts';
import { createNode } from '../../src/kube/node.ts';
import { watchLock } from '../../src/kube/watch.ts';
import { INPUT as RUN_INPUT } from '../machines/input.ts';
import { inputOf, one, queueOf } from './objects.ts';
import { type ScriptedServer, sendJson, startScripted } from './scripted-server.ts';
import { serviceAccount } from './service-account.ts';
import { daemonSet } from './virtual.ts';

const INPUT = inputOf('host-upgrades', { value: 'node-2', resourceVersion: '7' });
const UNAUTHORIZED = { kind: 'Status', code: 401, message: 'Unauthorized' };

/** A server that accepts the token that is right at the moment, and a pod's client with a file. */
async function rotating(t: TestContext, options: Partial<ClientOptions> = {}) {
  const state = { accepts: (_: string): boolean => true, lock: daemonSet('node-2', '7') };
  const server: ScriptedServer = await startScripted(async (request, response) => {
    const { token, method, url } = server.requests.at(-1) ?? assert.fail();
    if (!state.accepts(token)) return sendJson(response, 401, UNAUTHORIZED);
    if (url.includes('watch=true')) {
      response.writeHead(200).flushHeaders();
      response.write(`${JSON.stringify({ type: 'MODIFIED', object: daemonSet('', '8') })}\n`);
      return;
    }
    if (url.includes('/nodes/')) return sendJson(response, 200, { kind: 'Node' });
    if (method === 'PATCH') {
      const { metadata } = (await json(request)) as V1DaemonSet;
      state.lock = daemonSet(metadata?.annotations?.[LOCK_ANNOTATION] ?? null, '9');
    }
    sendJson(response, 200, state.lock);
  });
  const account = serviceAccount({ token: 'tok-a\n' });
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: 'in-cluster', server: server.url, skipTLSVerify: true },
    {
      name: 'service-account',
      authProvider: { name: 'tokenFile', config: { tokenFile: `${account.folder}/token` } },
    },
  );
  const pauses = { unauthorizedPausesMs: [1, 1, 1] };
  const client = createClient(config, { userAgent: 'test', ...pauses, ...options });
  t.after(async () => {
    await client.close();
    await server.close();
    account.remove();
  });
  const tokens = () => server.requests.map(({ token }) => token);
  return { client, account, state, tokens };
}

const CALLS = {
  get: readLock,
  acquire: acquireLock,
  release: releaseLock,
  watch: watchLock,
};

test('trap 34: each request reads the token file: a rotated token is used at once', async (t) => {
  for (const [name, call] of Object.entries(CALLS)) {
    const { client, account, state, tokens } = await rotating(t);
    const before = queueOf(call(client, INPUT));
    assert.notEqual((await before.next()).type, 'api.failed', name);
    before.stop();
    account.write('token', 'tok-b');
    state.accepts = (token) => token === 'tok-b';
    const after = queueOf(call(client, INPUT));
    assert.notEqual((await after.next()).type, 'api.failed', name);
    after.stop();
    assert.deepEqual(tokens(), ['tok-a', 'tok-b'], name);
  }
});

test('trap 34: a refused token is read again and tried again, a few times', async (t) => {
  for (const [name, call] of Object.entries(CALLS)) {
    const { client, account, state, tokens } = await rotating(t);
    // The new token is not known everywhere yet: two more refusals.
    let refusals = 0;
    state.accepts = (token) => {
      account.write('token', 'tok-c');
      refusals += 1;
      return token === 'tok-c' && refusals > 3;
    };
    const events = queueOf(call(client, INPUT));
    assert.notEqual((await events.next()).type, 'api.failed', name);
    events.stop();
    assert.deepEqual(tokens(), ['tok-a', 'tok-c', 'tok-c', 'tok-c'], name);
  }
});

test('trap 34: the pauses outlast a token that is only accepted 5 s after it appears', () => {
  assert.ok(UNAUTHORIZED_PAUSES_MS.reduce((sum, ms) => sum + ms, 0) > 5_000);
});

test('trap 34: a token refused for good is a failure after a few tries', async (t) => {
  const { client, state, tokens } = await rotating(t);
  state.accepts = () => false;
  assert.deepEqual(await one(readLock(client, INPUT)), {
    type: 'api.failed',
    message: 'Get: Unauthorized',
    code: 401,
  });
  assert.equal(tokens().length, 4);
});

test('trap 34: refused tokens while the lock is held fail neither the upgrade nor the release', async (t) => {
  const { client, state, tokens } = await rotating(t);
  state.lock = daemonSet(null, '7');
  const warnings: string[] = [];
  const node = createNode(client, 'node-1', Date.now, (message) => warnings.push(message));
  const upgrade = new Subject<RunEvent>();
  const machine = runMachine.provide({
    actors: {
      ...kubeActors({ client, node, warn: assert.fail }),
      upgradeHost: fromEventObservable<RunEvent, { node: string; resumed: boolean }>(() => upgrade),
    },
  });
  const actor = createActor(machine, { input: RUN_INPUT });
  actor.start();
  await waitFor(actor, (snapshot) => snapshot.matches('locked'), { timeout: 10_000 });
  // The report and the first two releases find no token that is accepted.
  const before = tokens().length;
  state.accepts = () => tokens().length - before > 3 * 4;
  upgrade.next({ type: 'upgrade.finished', status: { rebootRequired: false, detail: '' } });
  const { value } = await waitFor(actor, ({ status }) => status === 'done', { timeout: 20_000 });
  assert.equal(value, 'done');
  assert.deepEqual(state.lock, daemonSet(null, '9'));
  assert.match(warnings.join(), /^Failed to update node node-1 condition: Unauthorized$/);
});

test('a token file that is not there is a failed request that names it', async (t) => {
  const { client, account } = await rotating(t);
  account.remove();
  const event = await one(readLock(client, INPUT));
  assert.match('message' in event ? event.message : '', /ENOENT.*service-account-.*\/token/);
});
