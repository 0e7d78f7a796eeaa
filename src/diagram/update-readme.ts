import { readFileSync, writeFileSync } from 'node:fs';
import { mermaid } from './mermaid.ts';

/** Puts the machine's current diagram into the README: `npm run diagram`. */
const readme = new URL('../../README.md', import.meta.url);
const text = readFileSync(readme, 'utf8');
writeFileSync(
  readme,
  text.replace(/```mermaid\n[^`]*```/, () => `\`\`\`mermaid\n${mermaid()}\`\`\``),
);
