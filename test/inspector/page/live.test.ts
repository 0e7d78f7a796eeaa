import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { browser, closeBrowser, withPage } from './browser.ts';
import { activeState, atSeq, shownRows } from './moments.ts';
import { rowsOf } from './rows.ts';

after(closeBrowser);

const rows = rowsOf('drain-expired.ndjson');
const first = rows[0]?.record.seq ?? 0;

test(
  'rows come as they are written, and the newest is followed until another is selected',
  browser,
  () =>
    withPage(rows.slice(0, 10), { isOver: false }, async ({ page, stub }) => {
      await shownRows(page, '10');
      await atSeq(page, first + 9);
      stub.push(...rows.slice(10, 20));
      await shownRows(page, '20');
      await atSeq(page, first + 19);
      await page.keyboard.press('ArrowLeft');
      await atSeq(page, first + 18);
      stub.push(...rows.slice(20, 30));
      await shownRows(page, '30');
      await atSeq(page, first + 18);
      await page.getByRole('button', { name: 'Follow newest' }).click();
      await atSeq(page, first + 29);
      assert.equal(await activeState(page), rows[29]?.record.state);
    }),
);

test('a cut connection is seen, and nothing is missed or taken twice', browser, () =>
  withPage(rows.slice(0, 10), { isOver: false }, async ({ page, stub }) => {
    await shownRows(page, '10');
    stub.isDown = true;
    stub.cut();
    await page.locator('.connection-lost').waitFor();
    stub.push(...rows.slice(10, 20));
    stub.isDown = false;
    await page.locator('.connection-open').waitFor();
    await shownRows(page, '20');
    // Sent again ahead of the cut: taken once.
    stub.cut(5);
    await page.locator('.connection-lost').waitFor();
    stub.push(...rows.slice(20));
    await page.locator('.connection-open').waitFor();
    await shownRows(page, `${rows.length}`);
    await page.keyboard.press('Home');
    for (const { record } of rows) {
      await atSeq(page, record.seq);
      await page.keyboard.press('ArrowRight');
    }
  }),
);

test(
  'another process is shown from its beginning, without the rows of the one before',
  browser,
  () =>
    withPage(rows.slice(), { isOver: false }, async ({ page, stub }) => {
      await shownRows(page, '35');
      stub.restart(rowsOf('once.ndjson'));
      await shownRows(page, '28');
      assert.equal(await page.locator('.divergence').count(), 0);
      stub.cut();
      await page.locator('.connection-lost').waitFor();
      await page.locator('.connection-open').waitFor();
      await shownRows(page, '28');
    }),
);

test('files take the place of what is live, and it comes back whole', browser, () =>
  withPage(rows.slice(0, 10), { isOver: false }, async ({ page, stub }) => {
    await shownRows(page, '10');
    const text = rowsOf('once.ndjson')
      .map(({ record }) => `${JSON.stringify(record)}\n`)
      .join('');
    const buffer = Buffer.from(text);
    await page
      .getByLabel('Journals or logs to open')
      .setInputFiles({ name: 'once.ndjson', mimeType: 'application/x-ndjson', buffer });
    await shownRows(page, '28');
    stub.push(...rows.slice(10, 20));
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await shownRows(page, '20');
  }),
);

test('a paced rehearsal is paused, stepped and played', browser, () =>
  withPage(
    rows.slice(0, 10),
    {
      isOver: false,
      prepare: (stub) => {
        stub.source = { ...stub.source, mode: 'rehearsal', isPaced: true };
      },
    },
    async ({ page, stub }) => {
      const step = page.getByRole('button', { name: 'Step', exact: true });
      assert.equal(await step.isDisabled(), true);
      await page.getByRole('button', { name: 'Pause rehearsal' }).click();
      await page.getByRole('button', { name: 'Play rehearsal' }).waitFor();
      await step.click();
      await page.getByRole('button', { name: 'Play rehearsal' }).click();
      await page.getByRole('button', { name: 'Pause rehearsal' }).waitFor();
      assert.deepEqual(stub.told, ['pause', 'step', 'play']);
    },
  ),
);
