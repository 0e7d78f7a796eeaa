import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { browser, closeBrowser, withUrl } from './browser.ts';
import { activeState, atSeq, shownRows } from './moments.ts';
import { rowsOf, textOf } from './rows.ts';

const BIN = fileURLToPath(new URL('../../../src/host-upgrades', import.meta.url));
const BUILD = fileURLToPath(new URL('../../../src/inspector/build.ts', import.meta.url));
const HISTORIES = fileURLToPath(new URL('../../histories/', import.meta.url));
const children = new Set<ChildProcess>();

before(() => {
  const { status, stderr } = spawnSync(process.execPath, [BUILD], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
});
after(async () => {
  await closeBrowser();
  for (const child of children) child.kill('SIGKILL');
});

/** The program with its inspector, and where that is. */
async function serve(...args: string[]): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(BIN, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  for (;;) {
    const url = /Inspector: (http:\S+)/.exec(text)?.[1];
    if (url) return { child, url };
    await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), exit(child)]);
    assert.equal(child.exitCode, null, text);
  }
}

async function exit(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  children.delete(child);
}

test(
  'histories of two nodes, served by the program: every row, on one time axis',
  browser,
  async () => {
    const files = ['rebooted.ndjson', 'killed.ndjson'];
    const rows = files.flatMap((file) => rowsOf(file));
    const paths = files.map((file) => `${HISTORIES}${file}`);
    const { child, url } = await serve('inspect', '--listen=127.0.0.1:0', ...paths);
    await withUrl(url, {}, async (page) => {
      await shownRows(page, `${rows.length}`);
      await page.keyboard.press('End');
      const last = rows
        .toSorted((one, other) => one.record.atMs - other.record.atMs)
        .at(-1)?.record;
      await atSeq(page, last?.seq ?? 0);
      assert.equal(await activeState(page), last?.state);
    });
    child.kill('SIGTERM');
    await exit(child);
    assert.equal(child.exitCode, 0);
  },
);

test(
  'a process that ends and one that comes in its place: the page says so, and catches up',
  browser,
  async () => {
    const path = `${HISTORIES}rebooted.ndjson`;
    const count = `${rowsOf('rebooted.ndjson').length}`;
    const first = await serve('rehearse', '--speed=0.1', '--inspect=127.0.0.1:0');
    const { port } = new URL(first.url);
    await withUrl(first.url, {}, async (page) => {
      await page.locator('.connection-open').waitFor();
      first.child.kill('SIGKILL');
      await exit(first.child);
      await page.locator('.connection-lost').waitFor();
      const second = await serve('inspect', `--listen=127.0.0.1:${port}`, path);
      await page.locator('.connection-ended').waitFor();
      // All of the new one's rows, once, and none of the old one's.
      await shownRows(page, count);
      assert.equal(await page.locator('.divergence').count(), 0);
      second.child.kill('SIGTERM');
      await exit(second.child);
    });
  },
);

test('a rehearsal is followed live, paused, stepped and played to its end', browser, async () => {
  const { child, url } = await serve(
    'rehearse',
    '--nodes=3',
    '--speed=0.5',
    '--inspect=127.0.0.1:0',
  );
  await withUrl(url, {}, async (page) => {
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Step' }).waitFor();
    const shown = async () => Number(await page.locator('.count').textContent());
    // What was under way when it was paused has come in when a step adds exactly one.
    const stepped = async (times: number) => {
      const before = await shown();
      for (let time = 1; time <= times; time += 1) {
        await page.getByRole('button', { name: 'Step' }).click();
        await page.waitForFunction(
          (least) => Number(document.querySelector('.count')?.textContent) >= least,
          before + time,
        );
      }
      return (await shown()) - before;
    };
    await stepped(1);
    assert.ok((await stepped(5)) >= 5);
    await page.getByRole('tab', { name: 'Fleet' }).click();
    await page.locator('.fleet-row', { hasText: 'node-2' }).waitFor();
  });
  child.kill('SIGINT');
  await exit(child);
});

test('of two served histories the refused one ends with what replay prints', browser, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'served-'));
  const broken = join(folder, 'broken.ndjson');
  const lines = textOf('killed.ndjson').split('\n');
  const altered = (lines[7] as string).replace(/"state":"[^"]*"/, '"state":"acquiring.get"');
  writeFileSync(broken, lines.toSpliced(7, 1, altered).join('\n'));
  const whole = rowsOf('rebooted.ndjson').length;
  try {
    const { status, stderr } = spawnSync(BIN, ['replay', broken], { encoding: 'utf8' });
    assert.equal(status, 1);
    const files = [broken, `${HISTORIES}rebooted.ndjson`];
    const { child, url } = await serve('inspect', '--listen=127.0.0.1:0', ...files);
    await withUrl(url, {}, async (page) => {
      await shownRows(page, `${7 + 1 + whole}`);
      const words = await page.locator('.divergence').textContent();
      const printed = stderr.trimEnd().split('\n').at(-1) ?? '';
      assert.ok(words?.includes(printed), `${words}; ${printed}`);
    });
    child.kill('SIGTERM');
    await exit(child);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
