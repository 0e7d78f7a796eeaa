import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { closeBrowser, withPage } from './browser.ts';
import { fleetRows } from './fleet.ts';

/** Pictures of the main views, of a rehearsed rollout: `node screenshots.ts FOLDER`. */
const [folder = '.'] = parseArgs({ allowPositionals: true }).positionals;
const VIEWS = ['Statechart', 'Context', 'Why (not)?', 'Sequence', 'Fleet'];
mkdirSync(folder, { recursive: true });

const fileOf = (view: string) => view.toLowerCase().replaceAll(/[^a-z]+/g, '');

async function shoot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${folder}/${name}.png` });
}

for (const colorScheme of ['light', 'dark'] as const) {
  await withPage(fleetRows(), { colorScheme }, async ({ page }) => {
    await page.locator('[role=option]', { hasText: 'reboot.marked' }).first().click();
    for (const view of VIEWS) {
      await page.getByRole('tab', { name: view }).click();
      await shoot(page, `${colorScheme}-${fileOf(view)}`);
    }
    await page.keyboard.press('m');
    await page.locator('.maximised').waitFor();
    await shoot(page, `${colorScheme}-whole`);
  });
}
await withPage(fleetRows(), { width: 360, height: 720 }, async ({ page }) => {
  await page.getByRole('tab', { name: 'Events' }).click();
  await page.locator('[role=option]', { hasText: 'reboot.marked' }).first().click();
  for (const view of ['Events', ...VIEWS]) {
    await page.getByRole('tab', { name: view }).click();
    await shoot(page, `phone-${fileOf(view)}`);
  }
});
await closeBrowser();
