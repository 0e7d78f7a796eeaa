import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { browser, closeBrowser, withPage } from './browser.ts';
import { shownRows } from './moments.ts';
import { rowsOf } from './rows.ts';
import type { Stub } from './stub.ts';

after(closeBrowser);

const rows = rowsOf('drain-expired.ndjson');
const LIVE = { isOver: false };
const PACED = {
  ...LIVE,
  prepare: (stub: Stub) => {
    stub.source = { ...stub.source, mode: 'rehearsal', isPaced: true };
  },
};

/** Another page of the same browser. */
async function another(page: Page, url: string): Promise<Page> {
  const next = await page.context().newPage();
  next.setDefaultTimeout(20_000);
  await next.goto(url);
  return next;
}

test(
  'eight pages of one browser all show what comes, though it opens only six connections',
  browser,
  () =>
    withPage(rows.slice(0, 10), LIVE, async ({ page, stub }) => {
      const pages = [page];
      while (pages.length < 8) pages.push(await another(page, stub.url));
      for (const one of pages) await shownRows(one, '10');
      assert.ok(stub.readers <= 4, `${stub.readers} lasting streams`);
      stub.push(...rows.slice(10, 20));
      for (const one of pages) {
        await one.bringToFront();
        await shownRows(one, '20');
      }
      // A stream that is given back is taken by another page, without a gap.
      for (const one of pages.splice(0, 5)) await one.close();
      stub.push(...rows.slice(20, 30));
      for (const one of pages) {
        await shownRows(one, '30');
        await one.locator('.connection-open').waitFor();
      }
    }),
);

test('what one page tells a rehearsal all pages show', browser, () =>
  withPage(rows.slice(0, 10), PACED, async ({ page, stub }) => {
    const other = await another(page, stub.url);
    await other.getByRole('button', { name: 'Pause rehearsal' }).click();
    const button = page.getByRole('button', { name: 'Play rehearsal' });
    await button.waitFor();
    assert.equal(await page.getByRole('button', { name: 'Step', exact: true }).isEnabled(), true);
    await button.click();
    await other.getByRole('button', { name: 'Pause rehearsal' }).waitFor();
  }),
);

test('that it could not be told is not said any more once the server is heard again', browser, () =>
  withPage(rows.slice(0, 10), PACED, async ({ page, stub }) => {
    await page.locator('.connection-open').waitFor();
    stub.isDown = true;
    await page.getByRole('button', { name: 'Pause rehearsal' }).click();
    const notice = page.locator('.notice');
    await notice.getByText('could not be told to pause').waitFor();
    stub.isDown = false;
    stub.cut();
    await notice.waitFor({ state: 'detached' });
  }),
);

test('that the history was replaced is said where filter and selection go with it', browser, () =>
  withPage(rows.slice(0, 20), LIVE, async ({ page, stub }) => {
    await shownRows(page, '20');
    await page.locator('#filter').fill('drain');
    stub.restart(rowsOf('once.ndjson'));
    await page.locator('.notice').getByText('The history was replaced').waitFor();
    await shownRows(page, '28');
    assert.equal(await page.locator('#filter').inputValue(), '');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    // A connection that was lost is no such thing.
    stub.cut();
    await page.locator('.connection-lost').waitFor();
    await page.locator('.connection-open').waitFor();
    assert.equal(await page.locator('.notice').count(), 0);
  }),
);
