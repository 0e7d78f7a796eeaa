import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { browser, closeBrowser, withPage } from './browser.ts';
import { atSeq, shownRows } from './moments.ts';
import { nightlyRows, runAt } from './nights.ts';

after(closeBrowser);

const bars = (page: Page) => page.locator('.overview .bars rect');

async function widestPx(page: Page): Promise<number> {
  const widths = await bars(page).evaluateAll((all) =>
    all.map((bar) => bar.getBoundingClientRect().width),
  );
  return Math.max(...widths);
}

function shows(page: Page, words: RegExp): Promise<void> {
  return page.locator('.range', { hasText: words }).waitFor();
}

test('weeks of nightly runs show each run, and how long each gap is', browser, () =>
  withPage(nightlyRows(14), {}, async ({ page }) => {
    await shownRows(page, `${14 * 44}`);
    await shows(page, /^2026-11-03 02:00:00 – 2026-11-16 02:00:17 · 13 d, .* shown: 13 gaps cut$/);
    assert.ok((await bars(page).count()) >= 14 * 4);
    assert.ok((await widestPx(page)) > 10);
    const breaks = page.locator('.overview .break-mark');
    assert.equal(await breaks.count(), 13);
    assert.match((await breaks.first().textContent()) ?? '', /^1 d left out.*1 ?d$/);

    await page.getByRole('button', { name: 'Cut gaps' }).click();
    await page.locator('.overview .break-mark').waitFor({ state: 'detached' });
    await shows(page, /· 13 d$/);
    assert.ok((await widestPx(page)) < 3);
  }),
);

test('time is zoomed by buttons and keys, and the selected event stays in sight', browser, () =>
  withPage(nightlyRows(14), {}, async ({ page }) => {
    await shownRows(page, `${14 * 44}`);
    await page.getByRole('button', { name: 'This run' }).click();
    await shows(page, /^2026-11-16 02:00:00\.000 – 02:00:17\.150 · 17\.1 s$/);
    await page.keyboard.press('Home');
    await shows(page, /^2026-11-03 02:00:00/);
    await page.getByRole('button', { name: 'Zoom time in' }).focus();
    await page.keyboard.press('Enter');
    await shows(page, /^2026-11-03 02:00:00\.000 – 02:00:08\.575/);
    await page.getByRole('button', { name: 'Later' }).click();
    await shows(page, /^2026-11-03 02:00:02\.14/);
    await page.keyboard.press('End');
    await shows(page, /^2026-11-16/);
    // A line without a width is none that is visible to the driver.
    await page.locator('.overview .cursor').waitFor({ state: 'attached' });
    await page.keyboard.press('0');
    await shows(page, /13 gaps cut/);
    await page.keyboard.press('+');
    await shows(page, /^2026-11-(09|10) /);
    await page.keyboard.press('r');
    await shows(page, /· 17\.1 s$/);
  }),
);

test('ctrl and the wheel zoom where they point, a drag moves and selects nothing', browser, () =>
  withPage(
    [
      ...nightlyRows(3),
      ...runAt('once.ndjson', Date.UTC(2026, 10, 3, 2), 'other', { node: 'other' }),
    ],
    {},
    async ({ page }) => {
      await shownRows(page, `${3 * 44 + 28}`);
      await page.getByRole('tab', { name: 'Fleet' }).click();
      await page.keyboard.press('Home');
      await atSeq(page, 1);
      const before = await page.locator('.range').textContent();
      const lane = page.locator('.fleet-row svg').first();
      const { x, y, width } = (await lane.boundingBox()) ?? { x: 0, y: 0, width: 0 };
      await page.mouse.move(x + width / 2, y + 5);
      await page.keyboard.down('Control');
      await page.mouse.wheel(0, -100);
      await page.keyboard.up('Control');
      await page.locator('.range', { hasNotText: before ?? '' }).waitFor();
      const zoomed = await page.locator('.range').textContent();
      await page.mouse.down();
      await page.mouse.move(x + width / 2 - 60, y + 5, { steps: 4 });
      await page.mouse.up();
      await page.locator('.range', { hasNotText: zoomed ?? '' }).waitFor();
      await atSeq(page, 1);
      await page.mouse.click(x + width / 2, y + 5);
      await page.locator('.moment-where', { hasText: '2026-11-04' }).waitFor();
    },
  ),
);

test('a year of nights is still coloured by what happened, with few elements', browser, () =>
  withPage(nightlyRows(365), {}, async ({ page }) => {
    await shownRows(page, (365 * 44).toLocaleString('en'));
    await page.locator('.overview .strip').waitFor({ state: 'attached' });
    assert.equal(await page.locator('.overview .tear').count(), 0);
    assert.ok((await page.locator('.overview svg *').count()) < 3_500);
  }),
);
