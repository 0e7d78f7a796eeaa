import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { browser, closeBrowser, withPage } from './browser.ts';
import { fleetRows } from './fleet.ts';
import { activeState, atSeq, shownRows } from './moments.ts';

after(closeBrowser);

test('a fleet shows who held the lock, and who waited for whom', browser, () => {
  const rows = fleetRows();
  return withPage(rows, {}, async ({ page }) => {
    await shownRows(page, `${rows.length}`);
    await page.getByRole('tab', { name: 'Fleet' }).click();
    const holders = await page.locator('.band title').allTextContents();
    assert.deepEqual(holders.map((text) => text.split(' ')[0]).sort(), [
      'node-1',
      'node-2',
      'node-3',
      'node-4',
    ]);
    const marked = rows.findIndex(
      (row) =>
        row.kind === 'record' &&
        'event' in row.record &&
        row.record.event.type === 'reboot.marked' &&
        row.node === holders[1]?.split(' ')[0],
    );
    const row = rows[marked];
    assert.ok(row?.kind === 'record');
    await page.getByLabel('Node', { exact: true }).selectOption(row.node);
    const own = rows.filter(({ node }) => node === row.node).length;
    await shownRows(page, `${own} of ${rows.length}`);
    await page.locator('[role=option]', { hasText: 'reboot.marked' }).click();
    await atSeq(page, row.record.seq);
    const line = page.locator('.fleet-row.now');
    assert.match(
      (await line.textContent()) ?? '',
      new RegExp(
        `^${row.node}locked\\.rebooting\\.requesting · waited .* for the lock, behind node-1$`,
      ),
    );
    await page.getByRole('tab', { name: 'Statechart' }).click();
    assert.equal(await activeState(page), 'locked.rebooting.requesting');
  });
});
