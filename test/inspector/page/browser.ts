import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Row } from '../../../src/inspector/rows.ts';
import { requires } from '../../requires.ts';
import { Stub } from './stub.ts';

const CHROMIUM = '/usr/bin/chromium';

/** For tests that need a browser. */
export const browser = requires('browser', existsSync(CHROMIUM) ? '' : `there is no ${CHROMIUM}`);

let chrome: Browser | null = null;

export interface Opened {
  page: Page;
  stub: Stub;
  /** What the page must never do: errors, refused by its policy, requests elsewhere. */
  faults: string[];
}

interface Opening {
  isOver?: boolean;
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
  prepare?: (stub: Stub) => void;
}

/** Shows rows in a browser, runs `check`, and holds the page to what it must never do. */
export async function withPage(
  rows: Row[],
  options: Opening,
  check: (opened: Opened) => Promise<void>,
): Promise<void> {
  chrome ??= await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  const stub = await Stub.start(rows, options.isOver ?? true);
  options.prepare?.(stub);
  const context = await chrome.newContext({
    viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
    colorScheme: options.colorScheme ?? 'light',
    reducedMotion: 'reduce',
  });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(stub.url) && !/^(blob|data):/.test(url)) faults.push(`request to ${url}`);
    });
    await page.goto(stub.url);
    await check({ page, stub, faults });
    // What a cut connection writes is the browser's, not the page's.
    const own = faults.filter((fault) => !/net::ERR_/.test(fault));
    assert.deepEqual(own, []);
  } finally {
    await context.close();
    stub.stop();
  }
}

export async function closeBrowser(): Promise<void> {
  await chrome?.close();
  chrome = null;
}
