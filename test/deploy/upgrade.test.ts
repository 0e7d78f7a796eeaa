import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import { acquireLock, getLock, releaseLock } from '../../src/kube/lock.ts';
import { missing } from '../cluster/build.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { annotate, clientOf, daemonSetPath, inputOf, one } from '../kube/objects.ts';
import { requires } from '../requires.ts';
import { accountToken } from './account.ts';
import { type Kubectl, kubectlFor } from './kubectl.ts';
import { DEPLOY } from './manifests.ts';
import { originalObjects, putLock } from './original.ts';

const APPLY = ['apply', '-k', DEPLOY, '--validate=strict'];
/** How often each of the nodes gets the lock. */
const ROUNDS = 12;

describe('from pharos-host-upgrades to this program', requires('control plane', missing()), () => {
  let cluster: Cluster;
  let kubectl: Kubectl;
  before(async () => {
    cluster = await startCluster();
    kubectl = kubectlFor(cluster);
  });
  after(async () => {
    kubectl.remove();
    await cluster.stop();
  });

  const live = async () => (await cluster.request(daemonSetPath('host-upgrades'))).body;

  test('what it had applied becomes what deploy/ says, and the lock stays with its holder', async () => {
    kubectl(['apply', '-f', '-'], originalObjects());
    assert.ok(await putLock(cluster, null, 'node-7'));
    const old = await live();
    kubectl(APPLY);
    const { metadata, spec } = await live();
    assert.equal(metadata.annotations[LOCK_ANNOTATION], 'node-7');
    assert.equal(metadata.uid, old.metadata.uid);
    assert.deepEqual(spec.selector, old.spec.selector);
    const [container, ...others] = spec.template.spec.containers;
    assert.deepEqual(others, []);
    assert.equal(container.command, undefined);
    assert.equal(container.securityContext.privileged, false);
    assert.equal(spec.template.spec.tolerations.length, 2);
    // Nothing of it is left that deploy/ does not have.
    kubectl(['diff', '-k', DEPLOY]);
    const paths = spec.template.spec.volumes.map(
      (volume: { hostPath?: { path: string } }) => volume.hostPath?.path ?? 'config',
    );
    assert.deepEqual(paths.toSorted(), [
      '/run/host-upgrades',
      '/run/log',
      '/var/lib/host-upgrades',
      '/var/log',
      '/var/run/dbus',
      'config',
    ]);
    const role = JSON.parse(kubectl(['get', 'clusterrole', 'host-upgrades', '-o', 'json']));
    assert.ok(!JSON.stringify(role.rules).includes('update'));
    await annotate(cluster, 'host-upgrades', null);
  });

  test('nodes with the old program and nodes with this one never hold the lock together', async () => {
    const client = clientOf(cluster.kubeconfig, { token: await accountToken(cluster) });
    const holders = new Set<string>();
    const order: string[] = [];
    let refused = 0;
    const hold = (node: string) => {
      assert.deepEqual([...holders], [], `${node} took the lock of another one`);
      holders.add(node);
      order.push(node);
    };

    const original = async (node: string) => {
      for (let round = 0; round < ROUNDS; ) {
        if (!(await putLock(cluster, null, node))) {
          refused += 1;
          continue;
        }
        hold(node);
        // Other nodes' attempts at the lock are no reason to lose it.
        assert.equal((await live()).metadata.annotations[LOCK_ANNOTATION], node);
        holders.delete(node);
        while (!(await putLock(cluster, node, null))) refused += 1;
        round += 1;
      }
    };
    const own = async (node: string) => {
      const read = () =>
        getLock(client, inputOf('host-upgrades', { value: '', resourceVersion: '' }, node));
      for (let round = 0; round < ROUNDS; ) {
        const lock = await read();
        if (lock.value !== '') continue;
        const acquired = await one(acquireLock(client, inputOf('host-upgrades', lock, node)));
        if (acquired.type !== 'lock.updated') {
          assert.equal(acquired.type, 'lock.conflicted');
          refused += 1;
          continue;
        }
        hold(node);
        assert.equal((await read()).value, node);
        holders.delete(node);
        for (;;) {
          const held = await read();
          const released = await one(releaseLock(client, inputOf('host-upgrades', held, node)));
          if (released.type === 'lock.updated') break;
          assert.equal(released.type, 'lock.conflicted');
          refused += 1;
        }
        round += 1;
      }
    };

    await Promise.all([original('old-1'), original('old-2'), own('new-1'), own('new-2')]);
    await client.close();
    assert.equal(order.length, 4 * ROUNDS);
    // They did meet: there was something to lose.
    assert.ok(refused > 0);
    const handOffs = order.filter(
      (node, at) => at > 0 && order[at - 1]?.slice(0, 3) !== node.slice(0, 3),
    );
    assert.ok(handOffs.length > 0, order.join(' '));
  });

  test('what the old program does not know of the DaemonSet it drops; applied again, it is back', async () => {
    const profile = async () =>
      (await live()).spec.template.spec.containers[0].securityContext.appArmorProfile;
    assert.equal(await profile(), undefined);
    kubectl(APPLY);
    assert.deepEqual(await profile(), { type: 'Unconfined' });
    kubectl(['diff', '-k', DEPLOY]);
  });
});
