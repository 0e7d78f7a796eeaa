import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { browser, closeBrowser, withPage } from './browser.ts';
import { activeState, atSeq, shownRows } from './moments.ts';
import { manyRows } from './rows.ts';

const COUNT = 100_000;

after(closeBrowser);

test('100,000 events are all there, and only some of them drawn', browser, (t) => {
  const rows = manyRows(COUNT);
  return withPage(rows, {}, async ({ page }) => {
    await page.locator('.connection-ended').waitFor();
    await shownRows(page, '100,000');
    const loadMs = await page.evaluate(() => Math.round(performance.now()));
    t.diagnostic(`loaded ${COUNT} events ${loadMs} ms after the page was asked for`);
    await atSeq(page, COUNT);

    const options = page.getByRole('option');
    assert.ok((await options.count()) < 60);
    const lastRow = page.locator('[role=option][aria-selected=true]');
    assert.equal(await lastRow.getAttribute('aria-setsize'), `${COUNT}`);
    assert.equal(await lastRow.getAttribute('aria-posinset'), `${COUNT}`);

    await page.keyboard.press('Home');
    await atSeq(page, 1);
    await page.locator('.timeline-list').evaluate((list) => {
      list.scrollTop = list.scrollHeight / 2;
    });
    await page
      .locator('.seq', { hasText: /^50\d{3}$/ })
      .first()
      .waitFor();
    assert.ok((await options.count()) < 60);

    const beganMs = Date.now();
    const seqs = [77_777, 12_345, 99_001, 50_000];
    for (const seq of seqs) {
      await page.locator('.timeline-list').evaluate((list, place) => {
        list.scrollTop = place * 56;
      }, seq - 1);
      await page.locator(`#row-${seq - 1}`).click();
      await atSeq(page, seq);
      assert.equal(await activeState(page), rows[seq - 1]?.record.state);
    }
    t.diagnostic(`${seqs.length} jumps in ${Date.now() - beganMs} ms`);

    // Each key is drawn before the next one comes.
    const frameMs = await page.evaluate(async () => {
      const beganMs = performance.now();
      for (let step = 0; step < 100; step += 1) {
        document.body.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }),
        );
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      }
      return (performance.now() - beganMs) / 100;
    });
    t.diagnostic(`a step back takes ${frameMs.toFixed(1)} ms, drawn`);
    await atSeq(page, 49_900);

    await page.locator('#filter').fill('drain.expired');
    const expired = rows.filter(
      ({ record }) => 'event' in record && record.event.type === 'drain.expired',
    ).length;
    await shownRows(page, `${expired.toLocaleString('en')} of 100,000`);
  });
});
