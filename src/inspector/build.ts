import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { bundlePage } from './bundle.ts';

/** All of the page together, as it is sent. */
const SIZE_MAX_KB = 400;

/** Writes the page to dist/inspector/; fails where it has become too large. */
const out = fileURLToPath(new URL('../../dist/inspector/', import.meta.url));
mkdirSync(out, { recursive: true });
let sumKb = 0;
for (const [name, contents] of await bundlePage()) {
  writeFileSync(`${out}${name}`, contents);
  const kb = gzipSync(contents).length / 1_000;
  sumKb += kb;
  process.stdout.write(`dist/inspector/${name}: ${kb.toFixed(1)} kB gzipped\n`);
}
if (sumKb > SIZE_MAX_KB) {
  process.stderr.write(`The page is ${sumKb.toFixed(1)} kB gzipped, above ${SIZE_MAX_KB} kB\n`);
  process.exitCode = 1;
}
