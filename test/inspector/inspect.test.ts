import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inspect } from '../../src/cli/inspect.ts';
import { replay } from '../../src/cli/replay.ts';
import { ask } from './ask.ts';
import { foldRows } from './fold-rows.ts';
import { readEvents } from './reader.ts';
import { stubFolder } from './serving.ts';

const BIN = fileURLToPath(new URL('../../src/host-upgrades', import.meta.url));
const INSPECT = fileURLToPath(new URL('../../src/cli/inspect.ts', import.meta.url));
const JOURNAL = 'test/histories/killed.ndjson';
const LOG = 'test/traces/original/run/up-to-date.txt';
const page = stubFolder();
const folder = mkdtempSync(join(tmpdir(), 'inspect-'));
after(() => {
  page.remove();
  rmSync(folder, { recursive: true });
});

/** The command as a process of its own, with the stub page; `input` is its standard input. */
async function inspecting(args: string[], input = '') {
  const script = `import { inspect } from ${JSON.stringify(INSPECT)};
    process.exitCode = await inspect(${JSON.stringify(args)}, process.stdout, process.stderr, ${JSON.stringify(page.path)});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  const ended = once(child, 'close');
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
  });
  child.stderr.pipe(process.stderr);
  child.stdin.end(input);
  while (!out.includes('\n')) await once(child.stdout, 'data');
  const url = /^Inspector: (\S+) \(Ctrl-C ends it\)\n$/.exec(out)?.[1] ?? '';
  return { child, ended, url, out: () => out };
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`several files on one time axis, until ${signal}; then exit 0`, async () => {
    const { child, ended, url } = await inspecting(['--listen=127.0.0.1:0', JOURNAL, LOG]);
    const reader = await readEvents(`${url}events`);
    await reader.until(reader.isClosed);
    const { folded, said } = foldRows(reader.rows);
    assert.deepEqual(folded, said);
    const source = JSON.parse((await ask(`${url}source.json`)).text);
    assert.equal(source.mode, 'files');
    assert.deepEqual(
      source.sources.map(({ name }: { name: string }) => name),
      [JOURNAL, LOG],
    );
    // The log is years older.
    const sources = reader.rows.flatMap((row) => (row.kind === 'note' ? [] : [row.source]));
    assert.deepEqual([...new Set(sources)], [LOG, JOURNAL]);
    assert.equal((await ask(`${url}control`, { method: 'POST' })).status, 404);
    child.kill(signal);
    assert.deepEqual(await ended, [0, null]);
  });
}

test('standard input, with the same divergence as replay prints', async () => {
  const lines = readFileSync(JOURNAL, 'utf8').split('\n');
  lines.splice(7, 1);
  const file = join(folder, 'refused');
  writeFileSync(file, lines.join('\n'));
  let err = '';
  replay([file], { write: () => {} }, { write: (text) => (err += text) });
  const { child, ended, url } = await inspecting(['--listen=127.0.0.1:0', '-'], lines.join('\n'));
  const reader = await readEvents(`${url}events`);
  await reader.until(reader.isClosed);
  const last = reader.rows.at(-1);
  assert.ok(last?.kind === 'divergence');
  const { source, line, state, message } = last;
  assert.equal(source, '<stdin>');
  assert.equal(`${file}:${line}: in ${state}: ${message}\n`, err.replace(/^finding.*\n/gm, ''));
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});

test('bad input is one clear line and exit 2', async () => {
  const taken = createServer().listen({ host: '127.0.0.1', port: 0 });
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  writeFileSync(join(folder, 'words'), 'no history\n');
  const BAD: [string[], RegExp][] = [
    [[], /inspect: name the histories to show, or - for standard input/],
    [['/nowhere'], /\/nowhere: cannot be read \(ENOENT\); give a readable log file/],
    [['/'], /\/: cannot be read \(EISDIR\)/],
    [[join(folder, 'words')], /words:1: not a history: no line starts a run/],
    [[JOURNAL, '/nowhere'], /\/nowhere: cannot be read/],
    [[JOURNAL, JOURNAL], /killed\.ndjson is named twice; once is enough/],
    [['--listne=1', JOURNAL], /inspect: Unknown option '--listne'; see --help/],
    [['--listen=nowhere', JOURNAL], /inspect --listen=nowhere: give HOST:PORT/],
    [['--listen=:7788', JOURNAL], /inspect --listen=:7788: give HOST:PORT/],
  ];
  for (const [args, expected] of BAD) {
    const { status, stdout, stderr } = spawnSync(BIN, ['inspect', ...args], {
      encoding: 'utf8',
      input: '',
    });
    assert.deepEqual([status, stdout], [2, ''], args.join(' '));
    assert.match(stderr, expected);
    assert.match(stderr, /^host-upgrades: [^\n]*\n$/);
  }
  await assert.rejects(
    inspect(
      [`--listen=127.0.0.1:${port}`, JOURNAL],
      { write: assert.fail },
      { write: assert.fail },
      page.path,
    ),
    new RegExp(`inspect --listen: 127\\.0\\.0\\.1:${port}: .* it is in use; give another port`),
  );
  taken.close();
});

test('a port that was not asked for gives way to a free one', async () => {
  // Whoever has the usual port, this test or somebody else, has it.
  const usual = createServer();
  const isTaken = new Promise((resolve) => {
    usual.on('listening', resolve).on('error', resolve);
  });
  usual.listen({ host: '127.0.0.1', port: 7_788 });
  await isTaken;
  try {
    const { child, ended, url } = await inspecting([JOURNAL]);
    assert.notEqual(new URL(url).port, '7788');
    assert.equal((await ask(url)).status, 200);
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  } finally {
    usual.close();
  }
});

test('the help names it', () => {
  const { stdout } = spawnSync(BIN, ['inspect', '--help'], { encoding: 'utf8' });
  assert.match(
    stdout,
    /\n {2}host-upgrades inspect \[--listen=127\.0\.0\.1:7788\] FILE\|-\.\.\.\n/,
  );
  assert.match(stdout, /\n {2}--inspect\[=HOST:PORT\]\n/);
});
