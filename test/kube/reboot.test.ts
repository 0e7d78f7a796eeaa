import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { BOOT_ID_ANNOTATION, REBOOT_ANNOTATION } from '../../src/kube/annotations.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { clearReboot, markReboot } from '../../src/kube/reboot.ts';
import { missing } from '../cluster/build.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { requires } from '../requires.ts';
import { clientOf, createNode, one } from './objects.ts';

const MARKED_MS = Date.UTC(2026, 11, 1, 4, 31, 9, 86);
const MARK = { bootId: 'boot-1', nowMs: MARKED_MS, detail: 'linux-image-amd64' };

describe('the mark of a reboot on a real API server', requires('control plane', missing()), () => {
  let cluster: Cluster;
  let client: KubeClient;
  before(async () => {
    cluster = await startCluster();
    client = clientOf(cluster.kubeconfig);
  });
  after(async () => {
    await client?.close();
    await cluster?.stop();
  });

  const read = async (name: string) => {
    const { metadata, status } = (await cluster.request(`/api/v1/nodes/${name}`)).body;
    const { [REBOOT_ANNOTATION]: mark, [BOOT_ID_ANNOTATION]: bootId } = metadata.annotations ?? {};
    const condition = (status.conditions ?? []).find(
      ({ type }: { type: string }) => type === 'HostUpgradesReboot',
    );
    return { mark, bootId, condition };
  };
  /** A client to whom the status of nodes is forbidden. */
  const withoutStatus = (): KubeClient => ({
    ...client,
    request: async (spec, signal) => {
      if (spec.path.endsWith('/status')) throw new Error('nodes/status is forbidden');
      return client.request(spec, signal);
    },
  });

  test('is there as the original reads it, with the boot and the condition', async () => {
    await createNode(cluster, 'marked');
    const event = await one(markReboot(client, { node: 'marked', ...MARK }, assert.fail));
    const at = '2026-12-01T04:31:09.086Z';
    assert.deepEqual(event, { type: 'reboot.marked', at, atMs: MARKED_MS });
    const { mark, bootId, condition } = await read('marked');
    assert.deepEqual([mark, bootId], [`"${at}"`, 'boot-1']);
    assert.deepEqual(condition, {
      type: 'HostUpgradesReboot',
      status: 'True',
      reason: 'Rebooting',
      message: 'linux-image-amd64',
      lastHeartbeatTime: '2026-12-01T04:31:09Z',
      lastTransitionTime: '2026-12-01T04:31:09Z',
    });
  });

  test('is taken away after the reboot, which is said to be since the boot', async () => {
    await createNode(cluster, 'rebooted');
    await one(markReboot(client, { node: 'rebooted', ...MARK }, assert.fail));
    const outcome = { kind: 'rebooted', bootMs: MARKED_MS + 60_000 } as const;
    const nowMs = MARKED_MS + 90_000;
    assert.deepEqual(await one(clearReboot(client, 'rebooted', outcome, nowMs, assert.fail)), {
      type: 'reboot.cleared',
    });
    const { mark, bootId, condition } = await read('rebooted');
    assert.deepEqual([mark, bootId], [undefined, undefined]);
    assert.deepEqual([condition.status, condition.reason], ['False', 'Rebooted']);
    assert.equal(condition.lastTransitionTime, '2026-12-01T04:32:09Z');
    assert.equal(condition.lastHeartbeatTime, '2026-12-01T04:32:39Z');
  });

  test('trap 19: a reboot that failed is still required, since the same time', async () => {
    await createNode(cluster, 'failed');
    await one(markReboot(client, { node: 'failed', ...MARK }, assert.fail));
    const outcome = { kind: 'failed', message: 'no new boot within 5m0s' } as const;
    const nowMs = MARKED_MS + 300_000;
    const cleared = { type: 'reboot.cleared' };
    assert.deepEqual(
      await one(clearReboot(client, 'failed', outcome, nowMs, assert.fail)),
      cleared,
    );
    const { mark, bootId, condition } = await read('failed');
    assert.deepEqual([mark, bootId], [undefined, undefined]);
    assert.deepEqual(
      [condition.status, condition.reason, condition.message],
      ['True', 'RebootFailed', 'no new boot within 5m0s'],
    );
    assert.equal(condition.lastTransitionTime, '2026-12-01T04:31:09Z');
    // Once more: nothing is there to be taken away, and that is as well.
    assert.deepEqual(
      await one(clearReboot(client, 'failed', outcome, nowMs, assert.fail)),
      cleared,
    );
  });

  test('does not depend on the condition, whose failure is told', async () => {
    await createNode(cluster, 'statusless');
    const warnings: string[] = [];
    const warn = (message: string) => warnings.push(message);
    const marked = await one(markReboot(withoutStatus(), { node: 'statusless', ...MARK }, warn));
    assert.equal(marked.type, 'reboot.marked');
    assert.equal((await read('statusless')).bootId, 'boot-1');
    const outcome = { kind: 'failed', message: '' } as const;
    const cleared = await one(clearReboot(withoutStatus(), 'statusless', outcome, 0, warn));
    assert.equal(cleared.type, 'reboot.cleared');
    assert.equal((await read('statusless')).mark, undefined);
    const warning = 'Failed to update node statusless condition: nodes/status is forbidden';
    assert.deepEqual(warnings, [warning, warning]);
  });

  test('a mark that could not be written is a failure', async () => {
    const failed = { type: 'api.failed', message: 'nodes "nowhere" not found', code: 404 };
    const mark = markReboot(client, { node: 'nowhere', ...MARK }, assert.fail);
    assert.deepEqual(await one(mark), failed);
    const outcome = { kind: 'rebooted', bootMs: 0 } as const;
    const clear = clearReboot(client, 'nowhere', outcome, 0, assert.fail);
    assert.deepEqual(await one(clear), failed);
  });
});
