import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { browser, closeBrowser, withPage } from './browser.ts';
import { fleetRows } from './fleet.ts';
import { activeState, atSeq, shownRows } from './moments.ts';
import { nodeName, rolloutRows, runAt } from './nights.ts';

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
    assert.equal(await line.getByRole('button').textContent(), row.node);
    assert.match(
      (await line.locator('.fleet-now').textContent()) ?? '',
      /^locked\.rebooting\.requesting · waited .* for the lock, behind node-1$/,
    );
    await page.getByRole('tab', { name: 'Statechart' }).click();
    assert.equal(await activeState(page), 'locked.rebooting.requesting');
  });
});

test(
  'a thousand nodes: only those in sight are drawn, and each is found by its name',
  browser,
  (t) => {
    const rows = rolloutRows(1_000);
    return withPage(rows, {}, async ({ page }) => {
      await page.locator('.connection-ended').waitFor();
      await shownRows(page, rows.length.toLocaleString('en'));
      await page.getByRole('tab', { name: 'Fleet' }).click();
      const drawn = page.locator('.fleet-row');
      await drawn.filter({ hasText: nodeName(999) }).waitFor();
      assert.ok((await drawn.count()) < 30, `${await drawn.count()} rows`);
      assert.ok((await page.locator('.overview svg *').count()) < 120);
      assert.ok((await page.locator('.fleet-head .band').count()) <= 720);
      const waited = drawn.filter({ hasText: nodeName(999) }).locator('.fleet-now');
      assert.match((await waited.textContent()) ?? '', /^done · waited 5 h 33 min for the lock/);

      // Each step is drawn before the next one comes.
      const frameMs = await page.evaluate(async () => {
        const beganMs = performance.now();
        for (let step = 0; step < 50; step += 1) {
          document.body.dispatchEvent(
            new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }),
          );
          await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        }
        return (performance.now() - beganMs) / 50;
      });
      t.diagnostic(`a step among ${rows.length} events takes ${frameMs.toFixed(1)} ms, drawn`);

      await page.getByLabel('Find nodes').fill('node-0417');
      await page.locator('.count-nodes', { hasText: '1 of 1,000 nodes' }).waitFor();
      assert.equal(await drawn.count(), 1);
    });
  },
);

test('histories of different locks stand apart, each lock with its own holders', browser, () => {
  const begin = Date.UTC(2026, 10, 3, 2);
  const native = runAt('once.ndjson', begin, 'c', { node: 'alone', lock: '' }).slice(0, 1);
  const rows = [
    ...runAt('once.ndjson', begin, 'a', { node: 'once', lock: 'one/lock' }),
    ...runAt('once.ndjson', begin, 'b', { node: 'twice', lock: 'two/lock' }),
    ...native,
  ];
  return withPage(rows, {}, async ({ page }) => {
    await shownRows(page, `${rows.length}`);
    await page.getByRole('tab', { name: 'Fleet' }).click();
    const groups = page.locator('.fleet-group');
    await groups.first().waitFor();
    const found = await groups.evaluateAll((all) =>
      all.map((group) => [
        group.getAttribute('aria-label'),
        [...group.querySelectorAll('.fleet-row button')].map(({ textContent }) => textContent),
        group.querySelectorAll('.band-free').length,
      ]),
    );
    assert.deepEqual(found, [
      ['lock one/lock', ['once'], 1],
      ['lock two/lock', ['twice'], 1],
      ['without Kubernetes: no lock', ['alone'], 0],
    ]);
  });
});
