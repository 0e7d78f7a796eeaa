import { readFileSync, writeFileSync } from 'node:fs';
import { layOut } from './lay-out.ts';
import { mermaid } from './mermaid.ts';
import { machineModel } from './model.ts';

/** Puts the machine's current diagram into the README, and its layout beside this: `npm run diagram`. */
const readme = new URL('../../README.md', import.meta.url);
const text = readFileSync(readme, 'utf8');
writeFileSync(
  readme,
  text.replace(/```mermaid\n[^`]*```/, () => `\`\`\`mermaid\n${mermaid()}\`\`\``),
);
const layout = await layOut(machineModel());
writeFileSync(new URL('./layout.json', import.meta.url), `${JSON.stringify(layout)}\n`);
