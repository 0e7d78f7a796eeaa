import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { advance, type RunSnapshot, start, stateName } from '../../../machines/fold.ts';
import { browser, closeBrowser, withPage } from './browser.ts';
import { activeState, atSeq, shownRows } from './moments.ts';
import { HISTORIES, recordsOf, rowsOf } from './rows.ts';

after(closeBrowser);

for (const name of HISTORIES) {
  test(`each moment of ${name} shows the machine's own state`, browser, () =>
    withPage(rowsOf(name), {}, async ({ page }) => {
      const records = recordsOf(name);
      await shownRows(page, `${records.length}`);
      await page.keyboard.press('Home');
      let snapshot: RunSnapshot | null = null;
      for (const record of records) {
        if ('input' in record) snapshot = start(record.input).snapshot;
        else snapshot = (snapshot && advance(snapshot, record.event)?.snapshot) ?? null;
        await atSeq(page, record.seq);
        assert.equal(await activeState(page), stateName(snapshot?.value), `record ${record.seq}`);
        await page.keyboard.press('ArrowRight');
      }
    }),
  );
}

test('the context shows what an event changed, and the reasons what was possible', browser, () =>
  withPage(rowsOf('drain-expired.ndjson'), {}, async ({ page }) => {
    await page.locator('.count').waitFor();
    await page.locator('[role=option]', { hasText: 'pod.blocked' }).click();
    await atSeq(page, 403);
    await page.getByRole('tab', { name: 'Context' }).click();
    const changed = page.getByRole('table', { name: 'Changed by this event' });
    assert.match((await changed.textContent()) ?? '', /\+newblocked\[0\]\.pod"default\/shop-/);
    const conditions = page.locator('.context .grid');
    assert.match((await conditions.textContent()) ?? '', /HostUpgradesRebootTrueRebootRequired/);
    await page.getByRole('tab', { name: 'Why (not)?' }).click();
    const expired = page.locator('.why tbody', { hasText: 'drain.expired' });
    assert.match(
      (await expired.textContent()) ?? '',
      /came next.*due .*the drain timeout.*✓ taken/,
    );
  }),
);

test('the sequence shows requests, answers and how long they took', browser, () =>
  withPage(rowsOf('drain-expired.ndjson'), {}, async ({ page }) => {
    await page.getByRole('tab', { name: 'Sequence' }).click();
    const messages = await page.locator('.message').allTextContents();
    const asked = messages.findIndex((text) => text.includes('take the lock'));
    assert.match(messages[asked] ?? '', /agent to kube:\s+PATCH DaemonSet: take the lock/);
    assert.match(
      messages[asked + 1] ?? '',
      /kube to agent:\s+lock.updated: held by node-2 · after 9 ms/,
    );
    assert.ok(messages.some((text) => /host to agent:\s+upgrade\.output: .* ×21/.test(text)));
    assert.ok(messages.some((text) => text.startsWith('4.0 s pass')));
  }),
);

test('a state that is focused says what it is about', browser, () =>
  withPage(rowsOf('drain-expired.ndjson'), {}, async ({ page }) => {
    await page.locator('[data-state="locked.draining.evicting"]').focus();
    const details = page.locator('.chart-details');
    await details.filter({ hasText: 'drainNode' }).waitFor();
    assert.match(
      (await details.textContent()) ?? '',
      /locked\.draining\.evicting.*log drain\.command/,
    );
    const label = await page.locator('[data-state="locked.rebooting"]').getAttribute('aria-label');
    assert.match(label ?? '', /not visited in this run/);
  }),
);

test('the statechart zooms, moves and fits', browser, () =>
  withPage(rowsOf('once.ndjson'), {}, async ({ page }) => {
    const view = page.locator('.chart-view svg');
    const whole = (await view.getAttribute('viewBox')) ?? '';
    await page.getByRole('button', { name: 'Zoom in' }).click();
    const near = (await view.getAttribute('viewBox')) ?? '';
    assert.ok(Number(near.split(' ')[2]) < Number(whole.split(' ')[2]));
    await page.locator('.chart-view').focus();
    await page.keyboard.press('ArrowRight');
    await page.locator(`.chart-view svg:not([viewBox="${near}"])`).waitFor();
    await page.getByRole('button', { name: 'Fit' }).click();
    await page.locator(`.chart-view svg[viewBox="${whole}"]`).waitFor();
  }),
);
