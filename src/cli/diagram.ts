import { mermaid } from '../diagram/mermaid.ts';
import type { Out } from './main.ts';
import { UsageError } from './usage.ts';

/** `diagram`: the run machine as Mermaid text. */
export function diagram(args: string[], out: Out): number {
  if (args.length > 0) throw new UsageError(`diagram takes no ${args[0]}; see --help`);
  out.write(mermaid());
  return 0;
}
