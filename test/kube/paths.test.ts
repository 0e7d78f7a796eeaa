import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acquireLock, readLock, releaseLock } from '../../src/kube/lock.ts';
import { createNode } from '../../src/kube/node.ts';
import { watchLock } from '../../src/kube/watch.ts';
import { all, inputOf, one } from './objects.ts';
import { scripted, sendJson } from './scripted-server.ts';

const UNREAD = { value: '', resourceVersion: '1' };
const REPORT = { node: '', status: { rebootRequired: false, detail: '' }, error: null };

test('names go into paths encoded, so that a request is for that name and nothing else', async (t) => {
  const { client, requests } = await scripted(t, (_, response) => sendJson(response, 404, {}));
  const names = [
    'a/b',
    'a b',
    'a?b#c',
    '%2e',
    'WORKER-1',
    'knoten-ä',
    '../../secrets',
    'a&watch=false',
  ];
  for (const name of names) {
    requests.length = 0;
    const input = { ...inputOf(name, UNREAD), namespace: name };
    await one(readLock(client, input));
    await one(acquireLock(client, input));
    await one(releaseLock(client, input));
    await all(watchLock(client, input));
    const node = createNode(client, name, Date.now, () => {});
    await assert.rejects(node.load());
    await one(node.report(REPORT));
    const parts = requests.map(({ method, url }) => {
      const { pathname, searchParams } = new URL(url, 'http://x');
      const path = pathname.split('/').map(decodeURIComponent);
      return [method, ...path, searchParams.get('fieldSelector')];
    });
    const object = ['', 'apis', 'apps', 'v1', 'namespaces', name, 'daemonsets'];
    assert.deepEqual(parts, [
      ['GET', ...object, name, null],
      ['PATCH', ...object, name, null],
      ['PATCH', ...object, name, null],
      ['GET', ...object, `metadata.name=${name.replace('=', '\\=')}`],
      ['GET', '', 'api', 'v1', 'nodes', name, null],
      ['PATCH', '', 'api', 'v1', 'nodes', name, 'status', null],
    ]);
  }
});
