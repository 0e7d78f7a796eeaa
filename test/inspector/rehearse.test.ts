import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { rehearse } from '../../src/cli/rehearse.ts';
import { UsageError } from '../../src/cli/usage.ts';
import { poll } from '../cluster/cluster.ts';
import { ask } from './ask.ts';
import { foldRows } from './fold-rows.ts';
import { type EventReader, readEvents } from './reader.ts';
import { stubFolder } from './serving.ts';

const LIMIT_MS = 60_000;
const folder = stubFolder();
after(folder.remove);

/** A rehearsal that is shown; `tell` is what the page's buttons do. */
async function rehearsing(...args: string[]) {
  const written = { out: '', err: '' };
  const to = (key: 'out' | 'err') => ({
    write: (text: string) => {
      written[key] += text;
    },
  });
  const flags = ['--inspect=127.0.0.1:0', ...args];
  const ended = rehearse(flags, to('out'), to('err'), {}, folder.path);
  await poll(async () => /Inspector: /.test(written.err), LIMIT_MS);
  const url = /^Inspector: (\S+)$/m.exec(written.err)?.[1] ?? '';
  return {
    url,
    written,
    ended,
    async tell(word: string) {
      const headers = { origin: url.slice(0, -1), 'content-type': 'application/json' };
      const body = JSON.stringify({ do: word });
      const { status } = await ask(`${url}control`, { method: 'POST', headers, body });
      assert.equal(status, 204);
    },
    source: async () => JSON.parse((await ask(`${url}source.json`)).text),
    isOver: () => /the rehearsal is over/.test(written.err),
    /** As Ctrl-C does. */
    interrupt: () => process.emit('SIGINT'),
  };
}

const recordsIn = ({ rows }: EventReader) => rows.filter(({ kind }) => kind === 'record').length;

test('all nodes are shown, to the end; the inspector stays until it is told to stop', async () => {
  const { url, ended, written, isOver, source, interrupt } = await rehearsing('--speed=max');
  const reader = await readEvents(`${url}events`);
  await reader.until(reader.isClosed);
  assert.equal(reader.events.at(-1)?.type, 'end');
  const { folded, said } = foldRows(reader.rows);
  assert.deepEqual(folded, said);
  assert.ok(said.length > 30);
  const { token, ...shown } = await source();
  assert.match(token, /./);
  assert.deepEqual(shown, {
    mode: 'rehearsal',
    version: shown.version,
    title: 'Rehearsal of 3 nodes, seed 1, faults: conflict',
    sources: [1, 2, 3].map((n) => ({ name: `node-${n}`, node: `node-${n}` })),
    isPaced: false,
    isPaused: false,
    startMs: Date.UTC(2026, 0, 6, 3),
  });
  assert.ok(reader.rows.some((row) => row.kind === 'note' && /another writer/.test(row.text)));
  await poll(async () => isOver(), LIMIT_MS);
  assert.match(
    written.err,
    /^Inspector: \S+\nhost-upgrades: the rehearsal is over; the inspector stays at \S+ until Ctrl-C\n$/,
  );
  assert.equal((await ask(url)).status, 200);
  interrupt();
  assert.equal(await ended, 0);
  await assert.rejects(ask(url), /ECONNREFUSED/);
});

test('paused it stands still, a step is one record more, play goes on to the end', async () => {
  // So slow that of itself nothing would come after the first records for an hour.
  const rehearsal = await rehearsing('--speed=0.1', '--nodes=2');
  const { url, tell, source, ended, interrupt } = rehearsal;
  const reader = await readEvents(`${url}events`);
  await tell('pause');
  assert.deepEqual([(await source()).isPaced, (await source()).isPaused], [true, true]);
  for (let step = 1; step <= 12; step += 1) {
    const before = recordsIn(reader);
    await tell('step');
    await reader.until(() => recordsIn(reader) > before);
    assert.ok(recordsIn(reader) - before <= 2, `${recordsIn(reader) - before} records in a step`);
    assert.equal((await source()).isPaused, true);
  }
  // What nobody has asked for does not come, though many turns go by.
  const before = recordsIn(reader);
  for (let turn = 0; turn < 50; turn += 1) await source();
  assert.equal(recordsIn(reader), before);
  await tell('play');
  assert.equal((await source()).isPaused, false);
  interrupt();
  assert.equal(await ended, 130);
  await reader.until(reader.isClosed);
});

test('every reader is told how it is paced: when it comes, at each change, and at the end', async () => {
  const { url, tell, ended, interrupt } = await rehearsing('--speed=0.1', '--nodes=1');
  const paces = ({ events }: EventReader) =>
    events.filter(({ type }) => type === 'pace').map(({ data }) => JSON.parse(data));
  const first = await readEvents(`${url}events`);
  await first.until(() => paces(first).length === 1);
  await tell('pause');
  await first.until(() => paces(first).length === 2);
  const second = await readEvents(`${url}events`);
  await second.until(() => paces(second).length === 1);
  await tell('play');
  for (const [reader, count] of [
    [first, 3],
    [second, 2],
  ] as const) {
    await reader.until(() => paces(reader).length === count);
  }
  const [playing, paused] = ['playing', 'paused'].map((state) => ({ state, speed: 0.1 }));
  assert.deepEqual(
    [paces(first), paces(second)],
    [
      [playing, paused, playing],
      [paused, playing],
    ],
  );
  interrupt();
  assert.equal(await ended, 130);
  const over = await rehearsing('--speed=max', '--nodes=1', '--fault=none');
  await poll(async () => over.isOver(), LIMIT_MS);
  const late = await readEvents(`${over.url}events`);
  await late.until(late.isClosed);
  assert.deepEqual(paces(late), [{ state: 'over', speed: 0 }]);
  over.interrupt();
  await over.ended;
});

test('a step waits for no time to pass, and steps alone reach the end', async () => {
  const { url, tell, ended, isOver, written, interrupt } = await rehearsing(
    '--speed=0.1',
    '--nodes=1',
    '--fault=none',
  );
  const reader = await readEvents(`${url}events`);
  for (let step = 0; step < 200 && !isOver(); step += 1) {
    const before = recordsIn(reader);
    await tell('step');
    await poll(async () => recordsIn(reader) > before || isOver(), LIMIT_MS);
  }
  assert.ok(isOver(), written.out);
  const { folded, said } = foldRows(reader.rows);
  assert.deepEqual([folded, folded.at(-1)], [said, 'done']);
  interrupt();
  assert.equal(await ended, 0);
});

test('with --format=json standard output has the records alone', async () => {
  const { written, ended, isOver, interrupt } = await rehearsing('--speed=max', '--format=json');
  await poll(async () => isOver(), LIMIT_MS);
  for (const row of written.out.trim().split('\n')) assert.match(row, /^\{"node":"node-\d"/);
  interrupt();
  assert.equal(await ended, 0);
});

for (const [flag, expected] of [
  ['--inspect=', /rehearse --inspect=: give HOST:PORT, such as 127\.0\.0\.1:7788/],
  ['--inspect=:7788', /rehearse --inspect=:7788: give HOST:PORT/],
  ['--inspect=127.0.0.1:70000', /give HOST:PORT/],
  [
    '--inspect=192.0.2.1:1',
    /rehearse --inspect: 192\.0\.2\.1:1: cannot be listened on \(EADDRNOTAVAIL\)/,
  ],
  ['--inspekt', /--inspekt/],
] as const) {
  test(`rehearse ${flag} is one clear line, ahead of any rehearsal`, async () => {
    let out = '';
    const write = { write: (text: string) => (out += text) };
    await assert.rejects(rehearse([flag], write, write, {}, folder.path), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, expected);
      assert.ok(!error.message.includes('\n'));
      return true;
    });
    assert.equal(out, '');
  });
}

test('a page that is not built is one clear line', async () => {
  const write = { write: () => {} };
  await assert.rejects(
    rehearse(['--inspect=127.0.0.1:0'], write, write, {}, '/nowhere'),
    /the inspector's page is not built .*npm run build/,
  );
});
