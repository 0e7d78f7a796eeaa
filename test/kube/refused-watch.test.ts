import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createActor } from 'xstate';
import { runMachine } from '../../machines/run.ts';
import { kubeActors } from '../../src/kube/actors.ts';
import { createNode } from '../../src/kube/node.ts';
import { WATCH_LIMITS } from '../../src/kube/watch.ts';
import { formatLine } from '../../src/trace/format.ts';
import { INPUT } from '../machines/input.ts';
import { daemonSet, type FakeServer, fakeClient, virtualTime } from './virtual.ts';

const GONE = {
  kind: 'Status',
  code: 410,
  reason: 'Expired',
  message: 'too old resource version: 616 (700)',
};

/** The live machine against `server`, waiting for the lock that another node holds. */
function waiting(server: FakeServer) {
  const time = virtualTime();
  const { client, requests } = fakeClient(time, server);
  const node = createNode(client, 'node-1', () => time.clock.now(), assert.fail);
  const lines: string[] = [];
  const machine = runMachine.provide({
    actors: kubeActors({ client, node, warn: assert.fail, clock: time.watchClock }),
    actions: { log: (_, line) => lines.push(formatLine(line, INPUT)) },
  });
  const input = { ...INPUT, deadlineInMs: null };
  const actor = createActor(machine, { input, clock: time.clock });
  actor.start();
  return { time, requests, lines, actor };
}

type Serve = Exclude<FakeServer['watch'], 'mute'>;

/** Sends what is given to each watch, and ends it. */
const answering = (type: string, object: unknown): Serve => {
  return ({ send, end }) => {
    send(type, object);
    end();
  };
};

describe('trap 33: watches that fail at once', () => {
  const servers: [string, Serve][] = [
    ['every version is gone', answering('ERROR', GONE)],
    ['each is closed at once', ({ end }) => end()],
    ['each breaks at once', (served) => served.break(new Error('terminated'))],
    ['each carries a page', answering('<html>', null)],
  ];
  for (const [name, watch] of servers) {
    test(`${name}: about one request a second at first, with growing pauses`, async (t) => {
      const { time, requests } = waiting({ read: () => daemonSet('node-2', '616'), watch });
      await time.pass(600_000, 250);
      const within = (fromMs: number, toMs: number) =>
        requests.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).length;
      const counts = [within(0, 10_000), within(0, 60_000), within(60_000, 120_000)];
      t.diagnostic(`requests in 10 s, 60 s, the next 60 s: ${counts.join(', ')}`);
      assert.ok(within(0, 10_000) <= 10);
      assert.ok(within(0, 60_000) <= 13);
      assert.ok(within(60_000, 120_000) <= 2);
      assert.ok(within(0, 600_000) <= 35, `${requests.length} in 10 min`);
      // Not given up for good: it is watched again every 5 minutes.
      assert.ok(requests.some(({ atMs, what }) => atMs > 300_000 && what.startsWith('watch')));
    });
  }

  test('the lock that comes free meanwhile is taken, and the log says why it was read', async () => {
    let lock = daemonSet('node-2', '616');
    const { time, lines, actor } = waiting({ read: () => lock, watch: answering('ERROR', GONE) });
    await time.pass(100_000, 250);
    assert.ok(actor.getSnapshot().matches({ acquiring: 'watch' }));
    assert.ok(lines.some((line) => line.includes(GONE.message)));
    lock = daemonSet(null, '700');
    await time.pass(61_000, 250);
    assert.ok(actor.getSnapshot().matches('locked'));
  });

  test('an API server that fails while the lock is read instead is a backoff', async () => {
    let read = () => daemonSet('node-2', '616');
    const { time, requests, actor } = waiting({
      read: () => read(),
      watch: answering('ERROR', GONE),
    });
    await time.pass(20_000, 250);
    read = () => {
      throw new Error('down');
    };
    await time.pass(60_000, 250);
    assert.ok(actor.getSnapshot().matches({ acquiring: 'backoff' }));
    const before = requests.length;
    await time.pass(60_000, 250);
    assert.ok(requests.length - before <= 2);
  });

  test('watches that are never answered are given up for reads', async () => {
    const { time, requests } = waiting({ read: () => daemonSet('node-2', '616'), watch: 'mute' });
    await time.pass(3 * WATCH_LIMITS.stallMs, 250);
    const whats = requests.map(({ what }) => what);
    assert.deepEqual(whats.slice(0, 4), ['GET', 'watch 616', 'GET', 'watch 616']);
    assert.deepEqual(new Set(whats.slice(4)), new Set(['GET']));
    assert.ok(whats.length >= 8 && whats.length <= 12, `${whats.length} requests`);
  });

  test('watches that work again are watched', async () => {
    let watch = answering('ERROR', GONE);
    const { time, requests, actor } = waiting({
      read: () => daemonSet('node-2', '616'),
      watch: (served) => watch(served),
    });
    await time.pass(60_000, 250);
    watch = ({ send }) => {
      time.clock.setTimeout(() => send('MODIFIED', daemonSet(null, '700')), 30_000);
    };
    await time.pass(WATCH_LIMITS.pollMs + 60_000, 250);
    assert.match(requests.at(-2)?.what ?? '', /^watch/);
    assert.ok(actor.getSnapshot().matches('locked'));
  });
});
