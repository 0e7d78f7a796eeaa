import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { rehearse } from '../../src/cli/rehearse.ts';
import { replay } from '../../src/cli/replay.ts';
import { UsageError } from '../../src/cli/usage.ts';
import { replayJournal } from '../../src/trace/replay-journal.ts';

const BIN = fileURLToPath(new URL('../../src/host-upgrades', import.meta.url));

async function run(args: string[], isTerminal = false, env: NodeJS.ProcessEnv = {}) {
  const written = { out: '', err: '' };
  const to = (key: 'out' | 'err') => ({
    isTTY: isTerminal,
    write: (text: string) => {
      written[key] += text;
    },
  });
  const code = await rehearse(args, to('out'), to('err'), env);
  return { code, ...written };
}

async function inFolder(use: (folder: string) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'rehearse-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('without flags: what is going on, every line, a table, how to go on, and exit 0', async () => {
  const { code, out, err } = await run(['--speed', 'max']);
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /^Rehearsal: 3 simulated hosts, .*\n.*Seed 1, speed max, faults: conflict\.\n/);
  assert.match(out, /\n03:00:00\.000 node-1 Acquiring kube lock\.\.\.\n/);
  assert.match(out, /\n03:00:\d\d\.\d{3} \* {6}another writer updates/);
  assert.match(out, /\norder {2}node +waited +held +requests +conflicts +result\n +1 {2}node-/);
  assert.match(out, /\n3 nodes in [\d.]+ s: 2 hand-offs .*\nThe lock never had two holders/);
  assert.match(out, /\nNext: another --fault, .*\n {2}host-upgrades rehearse --nodes 3 --seed 1 /);
});

test('node names have colours on a terminal, and none with NO_COLOR', async () => {
  const code = '\u001b[';
  const args = ['--speed=max', '--nodes=1'];
  const coloured = (await run(args, true)).out;
  assert.ok(coloured.includes(`${code}36mnode-1${code}0m Done`));
  assert.ok(!(await run(args, true, { NO_COLOR: '1' })).out.includes(code));
  assert.ok(!(await run(args, false)).out.includes(code));
});

test('--fault takes lists and may be given again', async () => {
  const { code, out } = await run([
    '--speed=max',
    '--fault=restart,conflict',
    '--fault',
    'upgrade-fails',
  ]);
  assert.equal(code, 0);
  assert.match(out, /faults: restart, conflict, upgrade-fails\./);
  assert.match(out, / failed: /);
});

test('--journal-dir keeps a journal a node, and each is a legal history', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'journals');
    const { code, out } = await run(['--speed=max', '--fault=restart', '--journal-dir', path]);
    assert.equal(code, 0);
    assert.match(out, /host-upgrades replay \S+\/journals\/node-\d\.ndjson\n$/);
    assert.deepEqual(readdirSync(path).sort(), ['node-1.ndjson', 'node-2.ndjson', 'node-3.ndjson']);
    for (const file of readdirSync(path)) {
      const written = { out: '', err: '' };
      const out = { write: (text: string) => (written.out += text) };
      const err = { write: (text: string) => (written.err += text) };
      assert.equal(replay([join(path, file)], out, err), 0, written.err);
      assert.match(written.out, /Done\n/);
    }
    await assert.rejects(run(['--journal-dir', path]), /not empty; give a new folder/);
  }));

test('--format=json gives records alone, and those of a node are a legal history', async () => {
  const { code, out, err } = await run(['--speed=max', '--format=json', '--fault=api-down']);
  assert.deepEqual([code, err], [0, '']);
  for (const node of ['node-1', 'node-2', 'node-3']) {
    const rows = out.split('\n').filter((row) => row.startsWith(`{"node":"${node}"`));
    const { divergence, runs } = replayJournal(`${rows.join('\n')}\n`);
    assert.deepEqual([divergence, runs], [null, 1]);
  }
});

test('the same flags write the same, byte for byte', async () => {
  const args = ['--speed=max', '--nodes=6', '--seed=3', '--fault=conflict,watch-drop'];
  const [one, other] = await Promise.all([run(args), run(args)]);
  assert.deepEqual(other, one);
});

const BAD: [string[], RegExp][] = [
  [['--nodes=0'], /--nodes=0: give a whole number from 1 to 500/],
  [['--nodes=501'], /--nodes=501/],
  [['--nodes=3.5'], /--nodes=3\.5/],
  [['--nodes='], /--nodes=: give/],
  [['--nodes'], /--nodes/],
  [['--seed=-1'], /--seed=-1: give a whole number from 0/],
  [['--seed=x'], /--seed=x/],
  [['--speed=0.01'], /--speed=0\.01: give a number of 0\.1 or more, or max/],
  [['--speed=-2'], /--speed=-2/],
  [['--speed=fast'], /--speed=fast/],
  [['--fault=nope'], /--fault=nope: give one of none, conflict, api-down, /],
  [['--fault=conflict,'], /--fault=: give one of/],
  [['--fault=toString'], /--fault=toString/],
  [['--format=xml'], /--format=xml: give text or json/],
  [['--nods=3'], /--nods/],
  [['3'], /'3'/],
  [['--journal-dir=/nowhere/at/all'], /no folder to write to \(ENOENT\)/],
];
for (const [args, expected] of BAD) {
  test(`rehearse ${args.join(' ')} is one clear line`, async () => {
    await assert.rejects(run(args), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, expected);
      assert.ok(!error.message.includes('\n'));
      return true;
    });
  });
}

test('a file in the place of the folder for the journals is refused', () =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, 'file'), '');
    await assert.rejects(
      run(['--journal-dir', join(folder, 'file')]),
      /no folder to write to \(ENOTDIR\)/,
    );
  }));

test('--help names every flag and fault, within 80 columns', async () => {
  const { code, out } = await run(['--help']);
  assert.equal(code, 0);
  for (const word of ['--nodes', '--seed', '--speed', '--journal-dir', 'api-down', 'restart']) {
    assert.ok(out.includes(word), word);
  }
  for (const line of out.split('\n')) assert.ok(line.length <= 80, line);
});

test('SIGINT ends it at once, with one line and exit 130', async () => {
  const child = spawn(BIN, ['rehearse', '--speed=0.1'], { stdio: 'pipe' });
  let [out, err] = ['', ''];
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  child.stdout.on('data', (chunk) => {
    if (!out.includes('Acquiring') && `${out}${chunk}`.includes('Acquiring')) child.kill('SIGINT');
    out += chunk;
  });
  const [code, signal] = await once(child, 'close');
  assert.deepEqual([code, signal], [130, null]);
  assert.equal(err, 'host-upgrades: the rehearsal was interrupted\n');
});
