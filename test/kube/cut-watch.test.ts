import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent } from '../../machines/events.ts';
import { getLock } from '../../src/kube/lock.ts';
import { WATCH_LIMITS, watchLock } from '../../src/kube/watch.ts';
import { startApiServer } from '../../src/rehearsal/apiserver.ts';
import { poll } from '../cluster/cluster.ts';
import { annotate, clientAt, createDaemonSet, inputOf, type Server } from './objects.ts';

/** Ten minutes of watches that are cut every 30 s. */
const CUTS = 20;

test('trap 32b: watches that are cut again and again show a change once, and pile up nothing', async () => {
  const server = await startApiServer({ token: 'token' });
  const admin: Server = {
    kubeconfig: '',
    request: async (path, init = {}) => {
      const answer = await fetch(`${server.url}${path}`, {
        method: init.method ?? 'GET',
        headers: { authorization: 'Bearer token', 'content-type': init.type ?? 'application/json' },
        body: init.body === undefined ? null : JSON.stringify(init.body),
      });
      return { status: answer.status, body: await answer.json() };
    },
  };
  const client = clientAt(server.url);
  const warnings: string[] = [];
  const onWarning = (warning: Error) => warnings.push(warning.message);
  process.on('warning', onWarning);
  const sockets = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP'));
  try {
    await createDaemonSet(admin, 'cut');
    await annotate(admin, 'cut', 'node-2');
    const events: RunEvent[] = [];
    const watches = () => server.requests.filter(({ verb }) => verb === 'watch').length;
    const counts: number[] = [];
    for (let cut = 1; cut <= CUTS; cut += 1) {
      // What the machine does: a read, then a watch from its version.
      const lock = await getLock(client, inputOf('cut', NONE));
      const ended = new Promise<void>((resolve) => {
        watchLock(client, inputOf('cut', lock), { ...WATCH_LIMITS, shortMs: 0 }).subscribe({
          next: (event) => events.push(event),
          complete: resolve,
        });
      });
      await poll(async () => watches() === cut, 5_000);
      if (cut === 10) {
        await annotate(admin, 'cut', null);
        await poll(async () => events.some(({ type }) => type === 'lock.changed'), 5_000);
      }
      server.dropWatches();
      await ended;
      counts.push(sockets().length);
    }
    const changes = events.filter(({ type }) => type === 'lock.changed');
    assert.equal(changes.length, 1);
    const ends = events.filter(({ type }) => type === 'lock.watch.ended');
    assert.equal(ends.length, CUTS);
    assert.equal(events.length, CUTS + 1);
    assert.ok(Math.max(...counts) <= (counts[1] ?? 0) + 1, `sockets: ${counts.join(' ')}`);
    assert.deepEqual(warnings, []);
  } finally {
    process.off('warning', onWarning);
    await client.close();
    await server.close();
  }
});

const NONE = { value: '', resourceVersion: '' };
