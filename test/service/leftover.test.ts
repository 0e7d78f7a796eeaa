import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { disruptionOf } from '../../machines/setup.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { createLog } from '../../src/log/log.ts';
import { joinCluster } from '../../src/service/cluster.ts';
import { missing } from '../cluster/build.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { annotate, clientOf, createDaemonSet, MERGE_PATCH } from '../kube/objects.ts';
import { requires } from '../requires.ts';

const NOW_MS = Date.UTC(2026, 0, 6, 3, 10);
const AT = '2026-01-06T03:08:00.000Z';
const DRAIN = 'pharos-host-upgrades.kontena.io/drain';
const REBOOT = 'pharos-host-upgrades.kontena.io/reboot';
const BOOT_ID = 'pharos-host-upgrades.kontena.io/reboot-boot-id';

describe(
  'what an earlier run left, on a real API server',
  requires('control plane', missing()),
  () => {
    let cluster: Cluster;
    let client: KubeClient;
    let count = 0;
    before(async () => {
      cluster = await startCluster();
      client = clientOf(cluster.kubeconfig);
    });
    after(async () => {
      await client?.close();
      await cluster?.stop();
    });

    /** A process's start on a node with these annotations, with the lock of `holder`. */
    const join = async (annotations: Record<string, string>, holder = '', isUpgrading = false) => {
      count += 1;
      const node = `node-${count}`;
      const names = { namespace: 'kube-system', daemonSet: `upgrades-${count}`, node };
      await createDaemonSet(cluster, names.daemonSet);
      if (holder !== '') await annotate(cluster, names.daemonSet, holder.replace('OWN', node));
      await cluster.request('/api/v1/nodes', {
        method: 'POST',
        body: {
          kind: 'Node',
          apiVersion: 'v1',
          metadata: { name: node, annotations },
          spec: { unschedulable: DRAIN in annotations },
        },
      });
      const lines: string[] = [];
      const joined = await joinCluster({
        client,
        names,
        log: createLog({
          format: 'classic',
          level: 'info',
          write: (line) => lines.push(line.slice('YYYY/MM/DD HH:MM:SS '.length).trimEnd()),
          isTerminal: false,
          hasColour: false,
          nowMs: () => NOW_MS,
        }),
        clock: { nowMs: () => NOW_MS, setTimeout: assert.fail, clearTimeout: () => {} },
        stop: new AbortController().signal,
        isUpgrading: async () => isUpgrading,
        hasUnfinished: false,
        isPatient: false,
        disruption: { ...disruptionOf({}), reboot: true, drain: true },
      });
      return { before: joined?.before, lines };
    };

    test('nothing: nothing is cleaned up', async () => {
      const { before: left, lines } = await join({});
      assert.equal(left, null);
      assert.ok(lines.some((line) => /^Initialized kube node \S+ \(not rebooting\)$/.test(line)));
      assert.ok(lines.some((line) => line.includes('is not marked as drained')));
    });

    test('a lock alone is released, with an upgrade at work it is adopted', async () => {
      assert.equal((await join({}, 'OWN')).before, null);
      assert.deepEqual((await join({}, 'OWN', true)).before, { adopt: true });
    });

    test('a mark tells the boot that was to end, and what is left of the reboot’s time', async () => {
      const marks = { [REBOOT]: JSON.stringify(AT), [BOOT_ID]: 'one', [DRAIN]: 'true' };
      assert.deepEqual((await join(marks, 'OWN')).before, {
        adopt: false,
        leftover: {
          isLocked: true,
          isCordoned: true,
          // Of five minutes two are over.
          reboot: { at: AT, atMs: Date.parse(AT), bootId: 'one', leftMs: 180_000 },
        },
      });
    });

    test('the original’s mark tells no boot; one from the future waits no longer than any', async () => {
      const at = '2027-01-06T03:08:00Z';
      const { before: left } = await join({ [REBOOT]: JSON.stringify(at) });
      assert.deepEqual(left?.leftover?.reboot, {
        at,
        atMs: Date.parse(at),
        bootId: '',
        leftMs: 300_000,
      });
    });

    test('a cordon of this program while another node has the lock: uncordoned, the lock left alone', async () => {
      const { before: left } = await join({ [DRAIN]: 'true' }, 'another');
      assert.deepEqual(left?.leftover, { isLocked: false, isCordoned: true, reboot: null });
    });

    test('two at once: a cordon, and an upgrade that is still at work', async () => {
      const { before: left } = await join({ [DRAIN]: 'true' }, 'OWN', true);
      assert.equal(left?.adopt, true);
      assert.equal(left?.leftover?.isCordoned, true);
    });

    test('a node that somebody else has cordoned is nothing to clean up', async () => {
      const { body } = await cluster.request('/api/v1/nodes/node-1', {
        method: 'PATCH',
        type: MERGE_PATCH,
        body: { spec: { unschedulable: true } },
      });
      assert.equal(body.spec.unschedulable, true);
      assert.equal((await join({})).before, null);
    });
  },
);
