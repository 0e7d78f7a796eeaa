import { parseFlags, UsageError } from '../tool.ts';

/** The values of flags `--NAME VALUE` that are whole numbers within limits. Throws UsageError. */
export function readNumbers<Name extends string>(
  args: string[],
  flags: Record<Name, { fallback: number; least: number; most: number }>,
): Record<Name, number> {
  const names = Object.keys(flags) as Name[];
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  const { values } = parseFlags({ args, options });
  const read = (name: Name): number => {
    const text = values[name];
    const { fallback, least, most } = flags[name];
    if (typeof text !== 'string') return fallback;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new UsageError(`--${name}=${text}: give a whole number from ${least} to ${most}`);
  };
  return Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, number>;
}

/** Aborted by SIGINT or SIGTERM; a second one has its own effect. */
export function stopOnSignals(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => controller.abort());
  }
  return controller.signal;
}
