import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disruptionOf } from '../../machines/setup.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { createLog } from '../../src/log/log.ts';
import { joinCluster } from '../../src/service/cluster.ts';

test('a start that is told to stop does not wait for a server that never answers', async () => {
  const asked = Promise.withResolvers<void>();
  const client: KubeClient = {
    server: 'https://mute',
    credentials: 'none',
    authority: 'none',
    request: () => {
      asked.resolve();
      return new Promise(() => {});
    },
    open: () => new Promise(() => {}),
    close: async () => {},
  };
  const stop = new AbortController();
  const joined = joinCluster({
    client,
    names: { namespace: 'kube-system', daemonSet: 'host-upgrades', node: 'node-1' },
    log: createLog({
      format: 'classic',
      level: 'info',
      write: () => {},
      isTerminal: false,
      hasColour: false,
      nowMs: Date.now,
    }),
    clock: { nowMs: Date.now, setTimeout: assert.fail, clearTimeout: () => {} },
    stop: stop.signal,
    isUpgrading: async () => false,
    hasUnfinished: false,
    isPatient: true,
    disruption: disruptionOf({}),
  });
  await asked.promise;
  stop.abort();
  assert.equal(await joined, null);
});
