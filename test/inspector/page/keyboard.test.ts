import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { browser, closeBrowser, withPage } from './browser.ts';
import { atSeq, shownRows } from './moments.ts';
import { rowsOf } from './rows.ts';

after(closeBrowser);

test('all of it goes by the keyboard alone', browser, () =>
  withPage(rowsOf('once.ndjson'), {}, async ({ page }) => {
    const { keyboard } = page;
    await shownRows(page, '28');
    await keyboard.press('Home');
    await atSeq(page, 1);
    await keyboard.press('ArrowRight');
    await keyboard.press('ArrowRight');
    await keyboard.press('ArrowLeft');
    await atSeq(page, 2);
    await keyboard.press('End');
    await atSeq(page, 28);

    await keyboard.press('/');
    await page.locator('#filter:focus').waitFor();
    await keyboard.type('Lock.Read');
    await shownRows(page, '2 of 28');
    await keyboard.press('Escape');
    await shownRows(page, '28');

    await keyboard.press('?');
    await page.getByRole('dialog', { name: 'Help' }).waitFor();
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await keyboard.press('m');
    await page.locator('.maximised').waitFor();
    await keyboard.press('m');
    await page.locator('.maximised').waitFor({ state: 'detached' });
  }),
);

test(
  'a key right behind the end of a dialog counts, which keeps the focus until the next frame',
  browser,
  () =>
    withPage(rowsOf('once.ndjson'), {}, async ({ page }) => {
      await shownRows(page, '28');
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Help' }).waitFor();
      const isInside = await page.evaluate(() => {
        document.querySelector('dialog')?.close();
        const target = document.activeElement ?? document.body;
        target.dispatchEvent(new KeyboardEvent('keydown', { key: 'm', bubbles: true }));
        return target.closest('dialog') !== null;
      });
      assert.equal(isInside, true);
      await page.locator('.maximised').waitFor();
    }),
);

test('the arrow keys go from one tab to the next', browser, () =>
  withPage(rowsOf('once.ndjson'), {}, async ({ page }) => {
    await page.getByRole('tab', { name: 'Statechart' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('[role=tab][aria-selected=true]:focus', { hasText: 'Context' }).waitFor();
    await page.keyboard.press('End');
    await page.locator('[role=tab][aria-selected=true]:focus', { hasText: 'Sequence' }).waitFor();
    await atSeq(page, 28);
  }),
);

test('after a click on a tab the arrow keys step through the events', browser, () =>
  withPage(rowsOf('once.ndjson'), {}, async ({ page }) => {
    await shownRows(page, '28');
    await page.keyboard.press('Home');
    await page.getByRole('tab', { name: 'Context' }).click();
    await page.keyboard.press('ArrowRight');
    await atSeq(page, 2);
    await page.locator('[role=tab][aria-selected=true]', { hasText: 'Context' }).waitFor();
  }),
);

test('Tab reaches everything, and shows where it is', browser, () =>
  withPage(rowsOf('once.ndjson'), {}, async ({ page }) => {
    await shownRows(page, '28');
    const reached = new Set<string>();
    for (let step = 0; step < 40; step += 1) {
      await page.keyboard.press('Tab');
      const { name, outline } = await page.evaluate(() => {
        const element = document.activeElement ?? document.body;
        // Behind the last one the browser's own things come.
        if (element === document.body) return { name: '', outline: '' };
        const name = element.getAttribute('aria-label') ?? '';
        const shown = element.matches('g') ? element.querySelector('rect') : element;
        const { outlineStyle, strokeWidth } = getComputedStyle(shown ?? element);
        return {
          name: name || (element.textContent ?? ''),
          outline: element.matches('g') ? strokeWidth : outlineStyle,
        };
      });
      if (name === '') continue;
      reached.add(name.slice(0, 20));
      assert.notEqual(outline, 'none', name);
    }
    const names = ['Open…', 'Download…', 'Help', 'Filter by text', 'Event type', 'Events, 28'];
    for (const name of [...names, 'Statechart', 'Zoom in', 'done, active']) {
      assert.ok(
        [...reached].some((one) => one.startsWith(name)),
        `${name} of ${[...reached]}`,
      );
    }
  }),
);

test('space plays from the selected event to the last', browser, () =>
  withPage(rowsOf('once.ndjson'), {}, async ({ page }) => {
    await shownRows(page, '28');
    for (let back = 0; back < 3; back += 1) await page.keyboard.press('ArrowLeft');
    await atSeq(page, 25);
    await page.keyboard.press(' ');
    await page.getByRole('button', { name: 'Stop playing' }).waitFor();
    await atSeq(page, 28);
    await page.getByRole('button', { name: 'Play through the history' }).waitFor();
  }),
);
