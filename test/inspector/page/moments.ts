import type { Page } from 'playwright-core';

/** The innermost active state in the statechart. */
export function activeState(page: Page): Promise<string> {
  return page.evaluate(() => {
    const active = [...document.querySelectorAll<SVGElement>('.box.active')];
    const ids = active.map(({ dataset }) => dataset.state ?? '');
    return ids.sort((one, other) => other.length - one.length)[0] ?? '';
  });
}

/** The sequence number of the selected record, as the page shows it. */
export async function selectedSeq(page: Page): Promise<number> {
  const text = await page.locator('.moment-where').textContent();
  return Number(/#(\d+)/.exec(text ?? '')?.[1]);
}

/** Waits until the page shows so many rows. */
export async function shownRows(page: Page, text: string): Promise<void> {
  await page.locator('.count', { hasText: new RegExp(`^${text}$`) }).waitFor();
}

/** Waits until the record with this number is the selected one. */
export async function atSeq(page: Page, seq: number): Promise<void> {
  await page.locator('.moment-where', { hasText: new RegExp(`#${seq} `) }).waitFor();
}
