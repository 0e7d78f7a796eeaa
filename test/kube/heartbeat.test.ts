import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent } from '../../machines/events.ts';
import { PING_MS } from '../../src/kube/connection.ts';
import { WATCH_LIMITS, watchLock } from '../../src/kube/watch.ts';
import { inputOf } from './objects.ts';
import { daemonSet, fakeClient, type ServedWatch, virtualTime } from './virtual.ts';

const HELD = { value: 'node-2', resourceVersion: '7' };
const HOUR_MS = 3_600_000;

/**
 * A watch of a lock that nobody touches, opened again and again for an hour, with a bookmark every
 * `bookmarkMs` (null: never).
 */
async function quietHour(bookmarkMs: number | null) {
  const time = virtualTime();
  const { client, requests } = fakeClient(time, {
    read: () => daemonSet('node-2', '7'),
    watch: (served) => {
      const bookmark = () => {
        served.send('BOOKMARK', { kind: 'DaemonSet', metadata: { resourceVersion: '9' } });
        time.clock.setTimeout(bookmark, bookmarkMs ?? 0);
      };
      if (bookmarkMs !== null) time.clock.setTimeout(bookmark, bookmarkMs);
      time.clock.setTimeout(served.end, WATCH_LIMITS.serverTimeoutS * 1_000);
    },
  });
  const events: RunEvent[] = [];
  const follow = () => {
    // What the machine does between two watches.
    void client.request({ method: 'GET', path: '/' });
    watchLock(client, inputOf('host-upgrades', HELD), WATCH_LIMITS, time.watchClock).subscribe({
      next: (event) => events.push(event),
      complete: follow,
    });
  };
  follow();
  await time.pass(HOUR_MS, 1_000);
  return { requests, events };
}

test('a quiet watch costs at most one request in 5 minutes, however often bookmarks come', async (t) => {
  for (const bookmarkMs of [60_000, 61_250, 120_000, 600_000, null]) {
    const { requests, events } = await quietHour(bookmarkMs);
    const everyS = bookmarkMs === null ? 'never' : `every ${bookmarkMs / 1_000} s`;
    t.diagnostic(`bookmarks ${everyS}: ${requests.length} requests in an hour`);
    // The first two open the first watch.
    assert.ok(requests.length - 2 <= 12, `bookmarks ${everyS}: ${requests.length} requests`);
    const closed = { type: 'lock.watch.ended', message: 'the server closed the watch' };
    assert.deepEqual(events, [closed, closed], `bookmarks ${everyS}`);
  }
});

/** The events of one watch whose stream falls silent after `bookmarks` of them, one a minute. */
async function silentAfter(bookmarks: number, isAnswering: boolean) {
  const time = virtualTime();
  let silentAtMs = 0;
  const { client } = fakeClient(time, {
    read: () => {
      if (!isAnswering) throw new Error('no answer');
      return daemonSet('node-2', '7');
    },
    watch: (served) => {
      for (let count = 1; count <= bookmarks; count += 1) {
        silentAtMs = count * 60_000;
        time.clock.setTimeout(() => served.send('BOOKMARK', {}), silentAtMs);
      }
    },
  });
  const events: [number, RunEvent][] = [];
  watchLock(client, inputOf('host-upgrades', HELD), WATCH_LIMITS, time.watchClock).subscribe(
    (event) => events.push([time.clock.now() - silentAtMs, event]),
  );
  await time.pass(silentAtMs + 300_000, 1_000);
  return events;
}

test('a server that falls silent is noticed within 90 s', async () => {
  const silent = { type: 'lock.watch.ended', message: 'the connection went silent' };
  const after = [[WATCH_LIMITS.stallMs, silent]];
  assert.deepEqual(await silentAfter(0, false), after);
  assert.deepEqual(await silentAfter(2, false), after);
  // It answers, but the bookmark that was due has not come over the watch.
  assert.deepEqual(await silentAfter(2, true), after);
  assert.ok(WATCH_LIMITS.stallMs + WATCH_LIMITS.probeMs <= 90_000);
  assert.ok(2 * PING_MS <= 90_000);
});

test('a change that a silent watch has missed ends it at the stall limit', async () => {
  const time = virtualTime();
  let lock = 'node-2';
  const { client } = fakeClient(time, {
    read: () => daemonSet(lock, lock === '' ? '8' : '7'),
    watch: () => {},
  });
  const events: [number, RunEvent][] = [];
  watchLock(client, inputOf('host-upgrades', HELD), WATCH_LIMITS, time.watchClock).subscribe(
    (event) => events.push([time.clock.now(), event]),
  );
  await time.pass(60_000, 1_000);
  lock = '';
  await time.pass(60_000, 1_000);
  assert.deepEqual(events, [
    [WATCH_LIMITS.stallMs, { type: 'lock.watch.ended', message: 'the connection went silent' }],
  ]);
});

test('a bookmark is no change of the lock, whatever it carries', async () => {
  const time = virtualTime();
  const opened: ServedWatch[] = [];
  const { client } = fakeClient(time, {
    read: () => daemonSet('node-2', '7'),
    watch: (served) => opened.push(served),
  });
  const events: RunEvent[] = [];
  watchLock(client, inputOf('host-upgrades', HELD), WATCH_LIMITS, time.watchClock).subscribe(
    (event) => events.push(event),
  );
  await time.pass(1_000, 1_000);
  opened[0]?.send('BOOKMARK', { kind: 'DaemonSet', metadata: { resourceVersion: '99' } });
  await time.pass(1_000, 1_000);
  assert.deepEqual(events, []);
  opened[0]?.send('MODIFIED', daemonSet(null, '100'));
  await time.pass(1_000, 1_000);
  assert.deepEqual(events, [{ type: 'lock.changed', lock: { value: '', resourceVersion: '100' } }]);
});
