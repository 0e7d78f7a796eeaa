import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { browser, closeBrowser, withPage } from './browser.ts';
import { rowsOf } from './rows.ts';

after(closeBrowser);

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
const VIEWS = ['Statechart', 'Context', 'Why (not)?', 'Sequence', 'Fleet'];

/** Rows of two nodes, one of them broken. */
const rows = [
  ...rowsOf('drain-expired.ndjson'),
  ...rowsOf('once.ndjson'),
  {
    kind: 'divergence' as const,
    source: 'once.ndjson',
    node: 'once',
    line: 29,
    state: 'done',
    message: 'lock.read is not possible; possible: ',
  },
  { kind: 'note' as const, node: 'once', atMs: 1_796_258_612_000, text: 'a remark' },
];

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

async function violations(page: Page): Promise<string[]> {
  // Not as a script of the page, whose policy would refuse it.
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: Violation[] }> };
    };
    return (await axe.run()).violations;
  });
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe finds nothing in any view, ${colorScheme}`, browser, () =>
    withPage(structuredClone(rows), { colorScheme }, async ({ page }) => {
      await page.keyboard.press('Home');
      for (let step = 0; step < 29; step += 1) await page.keyboard.press('ArrowRight');
      for (const name of VIEWS) {
        await page.getByRole('tab', { name }).click();
        assert.deepEqual(await violations(page), [], name);
      }
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      assert.deepEqual(await violations(page), [], 'Help');
    }),
  );
}

test('axe finds nothing in the empty page', browser, () =>
  withPage([], {}, async ({ page }) => {
    await page.locator('.empty-state').waitFor();
    assert.deepEqual(await violations(page), []);
  }),
);

test('on 360 px nothing sticks out of the page, in any view', browser, () =>
  withPage(structuredClone(rows), { width: 360, height: 720 }, async ({ page }) => {
    for (const name of ['Events', ...VIEWS]) {
      await page.getByRole('tab', { name }).click();
      const { clientWidth, scrollWidth } = await page.evaluate(() => {
        const { clientWidth, scrollWidth } = document.documentElement;
        return { clientWidth, scrollWidth };
      });
      assert.equal(clientWidth, 360);
      assert.ok(scrollWidth <= clientWidth, `${name}: ${scrollWidth} px`);
    }
    assert.deepEqual(await violations(page), []);
  }),
);

test('the whole statechart is readable at 1280 × 800', browser, () =>
  withPage(rowsOf('once.ndjson'), {}, async ({ page }) => {
    await page.locator('.chart-view svg').waitFor();
    await page.keyboard.press('m');
    await page.locator('.maximised').waitFor();
    const outside = await page.evaluate(
      () =>
        [...document.querySelectorAll('.box')].filter((box) => {
          const { left, top, right, bottom } = box.getBoundingClientRect();
          return left < 0 || top < 0 || right > 1280 || bottom > 800;
        }).length,
    );
    assert.equal(outside, 0);
    const heightPx = await page
      .locator('[data-state="locked.upgrading"] rect')
      .evaluate((rect) => rect.getBoundingClientRect().height);
    // Boxes of 30 px hold two lines of text.
    assert.ok(heightPx >= 27, `${heightPx} px`);
  }),
);

test('the times spent are of 11 px or more at 1280 × 800, and within their boxes', browser, () =>
  withPage(rowsOf('rebooted.ndjson'), {}, async ({ page }) => {
    await page.locator('.box .spent').first().waitFor();
    const times = await page.evaluate(() =>
      [...document.querySelectorAll<SVGTextContentElement>('.box .spent')].map((text) => {
        const svg = text.ownerSVGElement as SVGSVGElement;
        const scale = svg.getScreenCTM()?.a ?? 0;
        const box = text.closest('.box')?.querySelector('rect') as SVGRectElement;
        const name = text.previousElementSibling as SVGTextElement | null;
        const { fontSize } = getComputedStyle(text);
        const end = text.getEndPositionOfChar(text.getNumberOfChars() - 1);
        const begin = text.getStartPositionOfChar(0);
        return {
          text: text.textContent,
          sizePx: Number.parseFloat(fontSize) * scale,
          // Digits are three quarters of their type high, descenders a quarter.
          topToName: name?.matches('text')
            ? begin.y -
              0.75 * Number.parseFloat(fontSize) -
              (name.getStartPositionOfChar(0).y +
                0.25 * Number.parseFloat(getComputedStyle(name).fontSize))
            : 0,
          isInside:
            begin.x >= box.x.baseVal.value &&
            end.x <= box.x.baseVal.value + box.width.baseVal.value &&
            begin.y < box.y.baseVal.value + box.height.baseVal.value,
        };
      }),
    );
    assert.ok(times.length > 10, `${times.length}`);
    for (const { text, sizePx, topToName, isInside } of times) {
      assert.ok(sizePx >= 11, `${text}: ${sizePx} px`);
      assert.ok(topToName >= 0, `${text} is over its name by ${-topToName}`);
      assert.ok(isInside, `${text}`);
    }
  }),
);

test('the theme is changed against the system, and forgotten', browser, () =>
  withPage(rowsOf('once.ndjson'), { colorScheme: 'light' }, async ({ page }) => {
    const ground = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await page.locator('.count').waitFor();
    const light = await ground();
    await page.getByRole('button', { name: 'Light or dark' }).click();
    assert.notEqual(await ground(), light);
    assert.equal(await page.evaluate(() => localStorage.length + document.cookie.length), 0);
    await page.reload();
    assert.equal(await ground(), light);
  }),
);
