import { parseArgs } from 'node:util';
import { readLayout } from '../diagram/layout.ts';
import { mermaid } from '../diagram/mermaid.ts';
import { machineModel } from '../diagram/model.ts';
import { svg } from '../diagram/svg.ts';
import type { Out } from './main.ts';
import { UsageError } from './usage.ts';

const FORMATS = {
  mermaid: () => mermaid(),
  svg: () => svg(machineModel(), readLayout()),
  json: () => `${JSON.stringify(machineModel(), null, 2)}\n`,
};

/** `diagram`: the run machine as Mermaid text, as a picture or as data. */
export function diagram(args: string[], out: Out): number {
  out.write(FORMATS[formatOf(args)]());
  return 0;
}

function formatOf(args: string[]): keyof typeof FORMATS {
  const format = parse(args).format ?? 'mermaid';
  if (Object.hasOwn(FORMATS, format)) return format as keyof typeof FORMATS;
  throw new UsageError(`diagram --format=${format}: give ${Object.keys(FORMATS).join(', ')}`);
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: { format: { type: 'string' } } }).values;
  } catch {
    throw new UsageError(`diagram takes no ${args[0]}; see --help`);
  }
}
