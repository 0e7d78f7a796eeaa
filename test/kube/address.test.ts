import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { rootCertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '../../src/kube/client.ts';
import { loadKubeConfig } from '../../src/kube/config.ts';
import { acquireLock, readLock } from '../../src/kube/lock.ts';
import { watchLock } from '../../src/kube/watch.ts';
import { missing } from '../cluster/build.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { requires } from '../requires.ts';
import { clientAt, createDaemonSet, inputOf, one } from './objects.ts';
import { sendJson, startScripted } from './scripted-server.ts';
import { type ServiceAccount, serviceAccount } from './service-account.ts';
import { daemonSet } from './virtual.ts';

const UNREAD = { value: '', resourceVersion: '1' };
const CHILD = fileURLToPath(new URL('requests-child.ts', import.meta.url));

test('trap 35: an IPv6 service address is bracketed', async () => {
  const env = { KUBERNETES_SERVICE_HOST: 'fd00:10:96::1', KUBERNETES_SERVICE_PORT: '443' };
  const { server } = (await loadKubeConfig('', env)).getCurrentCluster() ?? {};
  assert.equal(server, 'https://[fd00:10:96::1]:443');
});

test('trap 35: requests and failures over IPv6', async () => {
  const server = await startScripted(
    (_, response) => sendJson(response, 200, daemonSet('', '8')),
    '::1',
  );
  const client = clientAt(server.url);
  assert.match(server.url, /^http:\/\/\[::1\]:/);
  assert.equal((await one(readLock(client, inputOf('x', UNREAD)))).type, 'lock.read');
  await server.close();
  const { host } = new URL(server.url);
  const refused = await one(readLock(client, inputOf('x', UNREAD)));
  assert.match(
    'message' in refused ? refused.message : '',
    new RegExp(`dial tcp ${host.replaceAll(/[[\]]/g, '\\$&')}: connect: connection refused$`),
  );
  await client.close();
});

describe('a pod of a real cluster', requires('control plane', missing()), () => {
  let cluster: Cluster;
  let account: ServiceAccount;
  let env: NodeJS.ProcessEnv;
  let authority: string;
  before(async () => {
    cluster = await startCluster();
    const config = JSON.parse(readFileSync(cluster.kubeconfig, 'utf8'));
    const data = config.clusters[0].cluster['certificate-authority-data'];
    authority = Buffer.from(data, 'base64').toString();
    account = serviceAccount({ token: cluster.token, ca: authority });
    const { hostname, port } = new URL(cluster.url);
    env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    await createDaemonSet(cluster, 'pod');
  });
  after(async () => {
    account?.remove();
    await cluster?.stop();
  });

  test('trap 35: an environment’s proxy is not for the API server', {
    timeout: 60_000,
  }, async () => {
    // Nobody listens on port 9: whatever goes there fails.
    const proxies = { HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9' };
    for (const noProxy of ['10.96.0.0/12', '']) {
      const name = noProxy === '' ? 'proxied' : 'not-proxied';
      await createDaemonSet(cluster, name);
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [CHILD, account.folder, name],
        {
          env: {
            ...env,
            ...proxies,
            https_proxy: proxies.HTTPS_PROXY,
            NO_PROXY: noProxy,
            NODE_USE_ENV_PROXY: '1',
          },
        },
      );
      assert.equal(stdout, 'lock.read lock.updated lock.changed');
    }
  });

  test('trap 35: reads, updates and watches verify the server with the cluster’s CA', async () => {
    const client = createClient(await loadKubeConfig('', env, account.folder), {
      userAgent: 'pod',
    });
    const read = await one(readLock(client, inputOf('pod', UNREAD)));
    assert.ok(read.type === 'lock.read');
    const input = inputOf('pod', read.lock);
    assert.equal((await one(acquireLock(client, input))).type, 'lock.updated');
    assert.equal((await one(watchLock(client, input))).type, 'lock.changed');
    await client.close();
  });

  test('trap 35: none of them goes to a server that another CA has signed', async () => {
    const other = serviceAccount({ token: cluster.token, ca: rootCertificates[0] ?? '' });
    const client = createClient(await loadKubeConfig('', env, other.folder), { userAgent: 'pod' });
    for (const call of [readLock, acquireLock, watchLock]) {
      const event = await one(call(client, inputOf('pod', UNREAD)));
      assert.match('message' in event ? event.message : '', /certificate/);
    }
    // The right one, put in its place, is used without a restart.
    other.write('ca.crt', authority);
    const read = await one(readLock(client, inputOf('pod', UNREAD)));
    assert.equal(read.type, 'lock.read', JSON.stringify(read));
    await client.close();
    other.remove();
  });
});
