import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { closeBrowser, withUrl } from './browser.ts';
import { manyRows } from './rows.ts';

/**
 * How long a person waits for a history of 100,000 events, from the command to the last row and from
 * one step to the next: medians of five. Run by hand, with the page built: node measure.ts
 */
const COUNT = 100_000;
const ROUNDS = 5;
const BIN = fileURLToPath(new URL('../../../src/host-upgrades', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'measure-'));
const file = join(folder, 'many.ndjson');
const text = manyRows(COUNT)
  .map(({ record }) => `${JSON.stringify(record)}\n`)
  .join('');
writeFileSync(file, text);
const small = fileURLToPath(new URL('../../histories/once.ndjson', import.meta.url));

interface Marks {
  first: number;
  all: number;
  longest: number;
}

/** When the first row and when all are drawn, in ms since the page was asked for, and the longest task. */
function watch(page: Page): Promise<Marks> {
  return page.evaluate(async () => {
    const marks = { first: 0, all: 0, longest: 0 };
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        marks.longest = Math.max(marks.longest, duration);
      }
    });
    observer.observe({ type: 'longtask', buffered: true });
    while (marks.all === 0) {
      if (document.querySelector('[role=option]')) marks.first ||= performance.now();
      if (document.querySelector('.count')?.textContent === '100,000')
        marks.all = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return marks;
  });
}

/** One step back, drawn; the median and the 95th percentile of a hundred. */
function stepsMs(page: Page): Promise<[number, number]> {
  return page.evaluate(async () => {
    const tookMs: number[] = [];
    for (let step = 0; step < 100; step += 1) {
      const beganMs = performance.now();
      const key = new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true });
      document.body.dispatchEvent(key);
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      tookMs.push(performance.now() - beganMs);
    }
    tookMs.sort((one, other) => one - other);
    return [tookMs[50] ?? 0, tookMs[95] ?? 0];
  });
}

const measured = new Map<string, number[]>();
const note = (what: string, ms: number) => measured.set(what, [...(measured.get(what) ?? []), ms]);

/** The program with a history in its inspector, until `use` is over. */
async function serving(path: string, use: (url: string) => Promise<void>): Promise<void> {
  const child = spawn(BIN, ['inspect', '--listen=127.0.0.1:0', path]);
  try {
    let out = '';
    child.stdout.setEncoding('utf8');
    while (!out.includes('\n')) out += (await once(child.stdout, 'data'))[0];
    await use(/Inspector: (\S+)/.exec(out)?.[1] ?? '');
  } finally {
    child.kill('SIGKILL');
  }
}

async function round(): Promise<void> {
  const beganMs = Date.now();
  await serving(file, (url) => {
    note('from the command to the address', Date.now() - beganMs);
    return withUrl(url, {}, async (page) => {
      const { first, all, longest } = await watch(page);
      note('from the opening to the first row', first);
      note('from the opening to all rows', all);
      note('the longest task of the page meanwhile', longest);
      const [median, late] = await stepsMs(page);
      note('a step, drawn, while the rest is verified', median);
      note('the 95th of 100 steps', late);
    });
  });
  await serving(small, (url) =>
    withUrl(url, {}, async (page) => {
      await page.locator('.connection-ended').waitFor();
      const file = await page.evaluateHandle((all) => new File([all], 'many.ndjson'), text);
      const droppedMs = await page.evaluate((dropped) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(dropped);
        document.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
        return performance.now();
      }, file);
      const { all, longest } = await watch(page);
      note('from a dropped file to all rows', all - droppedMs);
      note('the longest task of the page with it', longest);
    }),
  );
}

try {
  for (let at = 0; at < ROUNDS; at += 1) await round();
} finally {
  await closeBrowser();
  rmSync(folder, { recursive: true });
}
for (const [what, values] of measured) {
  const sorted = values.toSorted((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const all = sorted.map((ms) => ms.toFixed(0)).join(', ');
  process.stdout.write(`${what}: ${median.toFixed(0)} ms (${all})\n`);
}
