import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const page = fileURLToPath(new URL('page/', import.meta.url));

/** The page's files by name: index.html, app.js and app.css. */
export async function bundlePage(): Promise<Map<string, Uint8Array>> {
  const { outputFiles } = await build({
    entryPoints: { app: `${page}main.tsx` },
    outdir: page,
    write: false,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // Only this: the page shows guards that have no name by their own expression.
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
  const built = outputFiles.map(({ path, contents }) => [basename(path), contents] as const);
  return new Map([['index.html', readFileSync(`${page}index.html`)], ...built]);
}
