import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { browser, closeBrowser, withPage } from './browser.ts';
import { atSeq, shownRows } from './moments.ts';
import { rowsOf } from './rows.ts';

after(closeBrowser);

test(
  'a run that is about to be resumed says for each way where it would have been',
  browser,
  () => {
    const rows = rowsOf('rebooted.ndjson');
    const at = rows.findIndex(
      ({ record }) => 'event' in record && record.event.type === 'run.resumed',
    );
    return withPage(rows, {}, async ({ page }) => {
      await shownRows(page, `${rows.length}`);
      await page.keyboard.press('Home');
      for (let step = 0; step < at - 1; step += 1) await page.keyboard.press('ArrowRight');
      await atSeq(page, rows[at - 1]?.record.seq ?? 0);
      await page.getByRole('tab', { name: 'Why' }).click();
      const ways = page.locator('.why tbody', { hasText: 'run.resumed' });
      const texts = await ways.locator('code:not(.dotted)').allTextContents();
      const resumed = texts.filter((text) => text.includes('resume'));
      assert.equal(resumed.length, 9);
      assert.equal(new Set(resumed).size, 9);
      assert.ok(
        resumed.every((text) => /^resumed at [a-z]+$/.test(text)),
        resumed.join(', '),
      );
      assert.equal(await ways.locator('.outcome-taken.outcome').count(), 1);
    });
  },
);

test('of the ways to go on, only the place where the run was holds', browser, () => {
  const rows = rowsOf('waiting.ndjson');
  const at = rows.findIndex(({ record }) => record.state === 'interrupted');
  return withPage(rows.slice(0, at + 1), {}, async ({ page }) => {
    await atSeq(page, rows[at]?.record.seq ?? 0);
    await page.getByRole('tab', { name: 'Why' }).click();
    const ways = page.locator('.why tbody tr', { hasText: 'resumed at' });
    const held = await ways.filter({ hasText: '✓ holds' }).locator('code').allTextContents();
    assert.deepEqual(held, ['resumed at acquiring', 'acquiring']);
    assert.equal(await ways.filter({ hasText: '✕ fails' }).count(), 8);
  });
});
