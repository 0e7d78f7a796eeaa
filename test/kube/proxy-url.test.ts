import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { createClient } from '../../src/kube/client.ts';
import { loadKubeConfig } from '../../src/kube/config.ts';
import { readLock } from '../../src/kube/lock.ts';
import { missing } from '../cluster/build.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { requires } from '../requires.ts';
import { createDaemonSet, inputOf, one } from './objects.ts';

describe('a proxy that the kubeconfig names', requires('control plane', missing()), () => {
  let cluster: Cluster;
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer();
  proxy.on('connect', ({ url = '' }, near: Socket) => {
    targets.push(url);
    const [host = '', port] = url.split(':');
    const far = connect(Number(port), host, () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    for (const socket of [near, far]) sockets.add(socket.on('error', () => socket.destroy()));
  });
  before(async () => {
    cluster = await startCluster();
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  });
  after(async () => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
    await cluster?.stop();
  });

  test('is used, and the server verified through it', { timeout: 60_000 }, async () => {
    await createDaemonSet(cluster, 'proxied');
    const config = JSON.parse(readFileSync(cluster.kubeconfig, 'utf8'));
    const { port } = proxy.address() as AddressInfo;
    config.clusters[0].cluster['proxy-url'] = `http://127.0.0.1:${port}`;
    const path = `${cluster.kubeconfig}-proxied`;
    writeFileSync(path, JSON.stringify(config));
    const client = createClient(await loadKubeConfig(path, {}), { userAgent: 'proxied' });
    const unread = { value: '', resourceVersion: '' };
    const event = await one(readLock(client, inputOf('proxied', unread)));
    assert.equal(event.type, 'lock.read', JSON.stringify(event));
    assert.deepEqual(targets, [new URL(cluster.url).host]);
    await client.close();
  });
});
