import { type ParseArgsConfig, parseArgs } from 'node:util';

/** A mistake in the arguments, or something that a tool cannot do without is not there. */
export class UsageError extends Error {}

/** As util.parseArgs; what it does not know is a UsageError. */
export function parseFlags<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('\n')[0]}; see --help`);
  }
}

/**
 * Runs `main`, whose result is the exit code. With --help among the arguments `help` is written
 * instead; a UsageError is one line and exit code 2.
 */
export async function runTool(
  name: string,
  help: string,
  main: (args: string[]) => Promise<number>,
): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    process.stdout.write(help);
    return;
  }
  try {
    process.exitCode = await main(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${name}: ${error.message}\n`);
    process.exitCode = 2;
  }
}
