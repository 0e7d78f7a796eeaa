import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAssets } from '../../src/inspector/assets.ts';
import { createFeed, type Feed } from '../../src/inspector/feed.ts';
import type { Contents } from '../../src/inspector/routes.ts';
import type { Row, Source } from '../../src/inspector/rows.ts';
import { type Inspector, startInspector } from '../../src/inspector/server.ts';

export const STUBS = {
  'index.html': '<!doctype html><html lang="en"><title>Stub</title><div id="app"></div></html>',
  'app.js': 'console.log("stub");',
  'app.css': 'body { color: black; }',
};

/** A folder as `npm run build` leaves one, with stand-ins for the page. */
export function stubFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'page-'));
  for (const [name, text] of Object.entries(STUBS)) writeFileSync(join(path, name), text);
  return { path, remove: () => rmSync(path, { recursive: true }) };
}

export const SOURCE: Omit<Source, 'token'> = {
  mode: 'files',
  version: '1',
  title: 'a',
  sources: [{ name: 'a', node: 'node-1' }],
  isPaced: false,
  isPaused: false,
};

/** An inspector on a free loopback port, closed at the end of `use`. */
export async function serving(
  contents: Partial<Contents>,
  use: (inspector: Inspector, feed: Feed) => Promise<void>,
): Promise<void> {
  const folder = stubFolder();
  const feed = contents.feed ?? createFeed();
  const inspector = await startInspector(
    { host: '127.0.0.1', port: 0, isPortFree: false },
    { assets: readAssets(folder.path), source: () => SOURCE, ...contents, feed },
  );
  try {
    await use(inspector, feed);
  } finally {
    await inspector.close();
    folder.remove();
  }
}

/** A row that can be told from others; `length`: of its text. */
export function note(number: number, length = 0): Row {
  return { kind: 'note', node: 'node-1', atMs: number, text: 'x'.repeat(length) };
}

export function fill(feed: Feed, from: number, to: number, length = 0): void {
  for (let number = from; number <= to; number += 1) feed.append(note(number, length));
}
