import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { ApiError } from '../../src/kube/errors.ts';
import { ClusterError, checkCluster } from '../../src/kube/preflight.ts';
import { scripted, sendJson } from './scripted-server.ts';
import { daemonSet, fakeClient, virtualTime } from './virtual.ts';

const OBJECTS = { namespace: 'kube-system', daemonSet: 'host-upgrades', node: 'node-1' };

type Answer = (response: ServerResponse) => void;
const page =
  (status: number): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html' });
    response.end('<html>\nproxy</html>');
  };
const status = (code: number, message: string): Answer => {
  return (response) => sendJson(response, code, { kind: 'Status', code, message });
};

/** A server with the lock and the Node that answers one kind of request in another way. */
async function check(t: TestContext, kind: 'reads' | 'reviews', answer: Answer) {
  const { client } = await scripted(t, ({ method, url }, response) => {
    if ((method === 'POST') === (kind === 'reviews')) answer(response);
    else if (method === 'POST') sendJson(response, 201, { status: { allowed: true } });
    else sendJson(response, 200, url?.includes('/nodes/') ? { kind: 'Node' } : daemonSet('', '8'));
  });
  const state = await checkCluster(client, OBJECTS).catch((error: unknown) => {
    if (error instanceof ClusterError) return error.message.replaceAll(client.server, 'SERVER');
    throw error;
  });
  return typeof state === 'string' ? state : state.reachable ? 'reachable' : state.message;
}

test('where permissions cannot be reviewed the service goes on without', async (t) => {
  const answers: Answer[] = [
    status(403, 'forbidden'),
    status(404, 'the server could not find the requested resource'),
    status(500, 'no authorizer'),
    page(200),
    (response) => sendJson(response, 201, { kind: 'SelfSubjectAccessReview' }),
    (response) => sendJson(response, 201, { status: { allowed: 'no' } }),
    (response) => sendJson(response, 201, null),
  ];
  for (const answer of answers) assert.equal(await check(t, 'reviews', answer), 'reachable');
});

test('a server that is not of use for now is not reachable, in its words', async (t) => {
  for (const code of [429, 500, 502, 503, 504]) {
    assert.equal(await check(t, 'reads', status(code, 'later')), 'later');
  }
  assert.equal(await check(t, 'reads', page(503)), 'HTTP status 503 with <html> proxy</html>');
});

test('something else than an API server is one line', async (t) => {
  assert.equal(
    await check(t, 'reads', page(200)),
    'SERVER does not answer as an API server: the answer is not JSON: <html> proxy</html>',
  );
  assert.equal(
    await check(t, 'reads', page(403)),
    'SERVER cannot give DaemonSet kube-system/host-upgrades: HTTP status 403 with <html> proxy</html>',
  );
  assert.equal(
    await check(t, 'reads', status(404, 'the server could not find the requested resource')),
    'SERVER cannot give DaemonSet kube-system/host-upgrades: the server could not find the requested resource',
  );
});

test('a certificate of another time is a matter of the clock too', async () => {
  const cause = Object.assign(new Error('certificate is not yet valid'), {
    code: 'CERT_NOT_YET_VALID',
  });
  const { client } = fakeClient(virtualTime(), {
    read: () => {
      throw new ApiError('Get "https://fake/x": certificate is not yet valid', null, null, cause);
    },
    watch: () => {},
  });
  await assert.rejects(checkCluster(client, OBJECTS), {
    message:
      'the certificate of https://fake is not accepted (certificate is not yet valid): renew it, or set the clock of this machine',
  });
});

test('a server that has just been started forbids everything, which is no answer yet', async (t) => {
  const forbidden = status(403, 'nodes "node-1" is forbidden: User "runner" cannot get it');
  let readyz: Answer = forbidden;
  const { client } = await scripted(t, ({ url }, response) =>
    (url === '/readyz' ? readyz : forbidden)(response),
  );
  const state = await checkCluster(client, OBJECTS);
  assert.ok(!state.reachable);
  assert.match(
    state.message,
    /^the API server is not ready: user "runner", by .* lacks permissions/,
  );
  readyz = (response) => response.end('ok');
  await assert.rejects(checkCluster(client, OBJECTS), { message: /^user "runner", by / });
});
