import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Row } from '../../../src/inspector/rows.ts';
import { canInstall, installPackages } from '../../packages.ts';
import { notBuilt, requires } from '../../requires.ts';
import { Stub } from './stub.ts';

const CHROMIUM = '/usr/bin/chromium';

/** Why there can be no browser, or '' where there can (perhaps after an installation). */
export function missing(): string {
  const failed = process.env[notBuilt('browser')];
  if (failed) return failed;
  return existsSync(CHROMIUM) || canInstall() ? '' : `there is no ${CHROMIUM}`;
}

/** Installs Debian's chromium where it is not there yet. */
export function installBrowser(): void {
  if (!existsSync(CHROMIUM)) installPackages('chromium');
}

/** For tests that need a browser. */
export const browser = requires('browser', missing());

let chrome: Browser | null = null;

export interface Opened {
  page: Page;
  stub: Stub;
}

interface Look {
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
}

interface Opening extends Look {
  isOver?: boolean;
  prepare?: (stub: Stub) => void;
}

/** Shows rows in a browser and runs `check`. */
export async function withPage(
  rows: Row[],
  options: Opening,
  check: (opened: Opened) => Promise<void>,
): Promise<void> {
  const stub = await Stub.start(rows, options.isOver ?? true);
  options.prepare?.(stub);
  try {
    await withUrl(stub.url, options, (page) => check({ page, stub }));
  } finally {
    stub.stop();
  }
}

/**
 * Opens an address in a browser, runs `check`, and holds the page to what it must never do: errors,
 * what its policy refuses, requests elsewhere.
 */
export async function withUrl(
  url: string,
  { width = 1280, height = 800, colorScheme = 'light' }: Look,
  check: (page: Page) => Promise<void>,
): Promise<void> {
  installBrowser();
  chrome ??= await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  const context = await chrome.newContext({
    viewport: { width, height },
    colorScheme,
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
      const to = request.url();
      if (!to.startsWith(url) && !/^(blob|data):/.test(to)) faults.push(`request to ${to}`);
    });
    await page.goto(url);
    await check(page);
    // What a cut connection writes is the browser's, not the page's.
    const own = faults.filter((fault) => !/net::ERR_/.test(fault));
    assert.deepEqual(own, []);
  } finally {
    await context.close();
  }
}

export async function closeBrowser(): Promise<void> {
  await chrome?.close();
  chrome = null;
}
