import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { replayJournal } from '../../../src/trace/replay-journal.ts';
import { browser, closeBrowser, withPage } from './browser.ts';
import { activeState, atSeq, shownRows } from './moments.ts';
import { manyRows, recordsOf, textOf } from './rows.ts';

after(closeBrowser);

interface Dropped {
  name: string;
  text: string;
}

async function drop(page: Page, ...files: Dropped[]): Promise<void> {
  await page.locator('.header').waitFor();
  await page.evaluate((dropped) => {
    const dataTransfer = new DataTransfer();
    for (const { name, text } of dropped) dataTransfer.items.add(new File([text], name));
    for (const type of ['dragover', 'drop']) {
      document.dispatchEvent(
        new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
      );
    }
  }, files);
}

async function downloaded(page: Page, button: string): Promise<Dropped> {
  await page.getByRole('button', { name: 'Download…' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).first().click(),
  ]);
  await page.keyboard.press('Escape');
  const text = readFileSync(await download.path(), 'utf8');
  return { name: download.suggestedFilename(), text };
}

test('an empty page says what to do', browser, () =>
  withPage([], {}, async ({ page }) => {
    const text = (await page.locator('.empty-state').textContent()) ?? '';
    assert.match(text, /Drop a journal or a log on this page/);
    assert.match(text, /host-upgrades inspect FILE…/);
  }),
);

test('a dropped journal is shown, exported, and shown again as it was', browser, () =>
  withPage([], {}, async ({ page }) => {
    const text = textOf('drain-expired.ndjson');
    await drop(page, { name: 'drain-expired.ndjson', text });
    await shownRows(page, '35');
    const journal = await downloaded(page, 'Download journal');
    assert.equal(journal.name, 'node-2.ndjson');
    assert.equal(journal.text, text);
    await drop(page, journal);
    await shownRows(page, '35');
    assert.equal(await activeState(page), 'failed');
  }),
);

test('what is saved as a test is a history that npm test takes', browser, () =>
  withPage([], {}, async ({ page }) => {
    // A journal that begins anew in between, and whose last run has not ended.
    const whole = textOf('once.ndjson');
    const cut = whole.split('\n').slice(0, 4).join('\n');
    await drop(page, { name: 'once.ndjson', text: `${whole}${whole}${cut}\n` });
    await shownRows(page, '60');
    const { name, text } = await downloaded(page, 'Save as test');
    assert.match(name, /^once-done-[\w-]+\.ndjson$/);
    const rows = text.trimEnd().split('\n');
    assert.equal(rows.length, 56);
    const { divergence, records } = replayJournal(text);
    assert.equal(divergence, null);
    assert.equal(records.at(-1)?.to, 'done');
    for (let gone = 1; gone < rows.length - 1; gone += 1) {
      const altered = `${rows.filter((_, index) => index !== gone).join('\n')}\n`;
      assert.equal(replayJournal(altered).divergence?.lineNumber, gone + 1);
    }
  }),
);

test('two journals stand on one axis of time', browser, () =>
  withPage([], {}, async ({ page }) => {
    await drop(
      page,
      { name: 'a.ndjson', text: textOf('once.ndjson') },
      { name: 'b.ndjson', text: textOf('drain-expired.ndjson') },
    );
    await shownRows(page, `${28 + 35}`);
    await page.getByRole('tab', { name: 'Fleet' }).click();
    const table = (await page.locator('.fleet-list').textContent()) ?? '';
    assert.match(table, /once(?:[^·]|waiting)*done · waited \d+ ms for the lock/);
    assert.match(table, /node-2.*failed · waited \d+ ms for the lock/);
    await page.getByLabel('Node', { exact: true }).selectOption('once');
    await shownRows(page, '28 of 63');
  }),
);

test('a JSON log and a classic log are shown as journals are', browser, () =>
  withPage([], {}, async ({ page }) => {
    const log = recordsOf('once.ndjson')
      .map(
        (record) =>
          `${JSON.stringify({ level: 'info', time: new Date(record.atMs).toISOString(), record, msg: '' })}\n`,
      )
      .join('');
    await drop(page, { name: 'pod.log', text: log });
    await shownRows(page, '28');
    assert.equal(await activeState(page), 'done');
    const classic = [
      'Acquiring kube lock...',
      'kube/lock kube-system/daemonsets/host-upgrades: get',
    ];
    await drop(page, {
      name: 'classic.log',
      text: classic.map((line) => `2026/12/03 00:43:27 ${line}\n`).join(''),
    });
    await page.locator('.title', { hasText: 'classic.log' }).waitFor();
    assert.equal(await activeState(page), 'acquiring.get');
  }),
);

test('a refused history is shown up to where it breaks, with the words of replay', browser, () =>
  withPage([], {}, async ({ page }) => {
    const rows = textOf('once.ndjson').split('\n');
    const altered = rows.toSpliced(2, 0, (rows[26] as string).replace('"seq":27', '"seq":3'));
    const text = altered.slice(0, 3).concat('').join('\n');
    const divergence = replayJournal(text).divergence;
    assert.ok(divergence);
    await drop(page, { name: 'broken.ndjson', text });
    const banner = page.locator('.divergence');
    await banner.waitFor();
    const { lineNumber, state, message } = divergence;
    assert.ok(
      (await banner.textContent())?.includes(
        `broken.ndjson:${lineNumber}: in ${state}: ${message}`,
      ),
    );
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await atSeq(page, 2);
    assert.equal(await activeState(page), 'acquiring.update');
  }),
);

test('what is no history is refused in one line, and what was shown stays', browser, () =>
  withPage([], {}, async ({ page }) => {
    await drop(page, { name: 'once.ndjson', text: textOf('once.ndjson') });
    await shownRows(page, '28');
    await drop(page, { name: 'shopping.txt', text: 'milk\nbread\n' });
    const notice = page.locator('.notice');
    await notice.waitFor();
    assert.match(
      (await notice.textContent()) ?? '',
      /shopping\.txt: not a history: no line starts a run/,
    );
    await shownRows(page, '28');
  }),
);

test(
  'a large file is read bit by bit: how far it is is said, and the page takes keys',
  browser,
  () =>
    withPage(manyRows(100), {}, async ({ page }) => {
      await shownRows(page, '100');
      // In the order in which they are seen.
      await page.evaluate(() => {
        const seen: string[] = [];
        Object.assign(globalThis, { seen });
        const look = () => {
          const words = document.querySelector('.connection')?.textContent ?? '';
          const count = document.querySelector('.count')?.textContent ?? '';
          const help = document.querySelector('dialog') ? 'help' : '';
          for (const what of [words, count, help]) {
            if (what === '' || seen.includes(what)) continue;
            seen.push(what);
            if (what.endsWith('lines read')) {
              document.body.dispatchEvent(
                new KeyboardEvent('keydown', { key: '?', bubbles: true }),
              );
            }
          }
        };
        new MutationObserver(look).observe(document.body, {
          subtree: true,
          childList: true,
          characterData: true,
          attributes: true,
        });
      });
      const text = manyRows(60_000)
        .map(({ record }) => `${JSON.stringify(record)}\n`)
        .join('');
      await drop(page, { name: 'large.ndjson', text });
      await shownRows(page, '60,000');
      const seen = await page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen);
      const at = (what: RegExp) => seen.findIndex((one) => what.test(one));
      const first = at(/[1-9][\d,]* of 60,000 lines read$/);
      assert.ok(first >= 0, seen.join('; '));
      assert.ok(first < at(/^help$/) && at(/^help$/) < at(/^60,000$/), seen.join('; '));
      await page.keyboard.press('Escape');
      await page.locator('.connection-files', { hasText: 'opened here' }).waitFor();
    }),
);

test('of files that are opened one after the other the last is shown', browser, () =>
  withPage([], {}, async ({ page }) => {
    const large = manyRows(30_000)
      .map(({ record }) => `${JSON.stringify(record)}\n`)
      .join('');
    await drop(page, { name: 'large.ndjson', text: large });
    await drop(page, { name: 'once.ndjson', text: textOf('once.ndjson') });
    await shownRows(page, '28');
    await page.locator('.title', { hasText: /^once\.ndjson$/ }).waitFor();
    // What the first one would still have to do comes to nothing.
    await page.evaluate(async () => {
      for (let turn = 0; turn < 100; turn += 1) await new Promise((next) => setTimeout(next));
    });
    await shownRows(page, '28');
  }),
);

test(
  'a journal that only folding shows to be refused ends there, with the words of replay',
  browser,
  () =>
    withPage([], {}, async ({ page }) => {
      const rows = textOf('once.ndjson').split('\n');
      const altered = (rows[9] as string).replace(/"state":"[^"]*"/, '"state":"acquiring.get"');
      const text = rows.toSpliced(9, 1, altered).join('\n');
      const divergence = replayJournal(text).divergence;
      assert.ok(divergence);
      await drop(page, { name: 'broken.ndjson', text });
      const banner = page.locator('.divergence');
      await banner.waitFor();
      const { lineNumber, state, message } = divergence;
      const words = `broken.ndjson:${lineNumber}: in ${state}: ${message}`;
      assert.ok((await banner.textContent())?.includes(words));
      await shownRows(page, '10');
    }),
);
