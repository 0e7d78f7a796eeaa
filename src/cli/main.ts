import { version } from '../version.ts';
import { helpText } from './help.ts';
import { UsageError } from './usage.ts';

export interface Out {
  write(text: string): unknown;
  isTTY?: boolean;
}

/** A command; returns its exit code. Throws UsageError. */
type Command = (args: string[], out: Out, err: Out) => number | Promise<number>;

/** Each is loaded when it is asked for: the client library alone takes most of a second. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  run: async () => (await import('./run.ts')).run,
  rehearse: async () => (await import('./rehearse.ts')).rehearse,
  replay: async () => (await import('./replay.ts')).replay,
  inspect: async () => (await import('./inspect.ts')).inspect,
  diagram: async () => (await import('./diagram.ts')).diagram,
};

/** Runs the command line and returns its exit code. */
export async function main(args: string[], out: Out, err: Out): Promise<number> {
  try {
    return await dispatch(args, out, err);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // One line, whatever stood in a value.
    err.write(`host-upgrades: ${error.message.replaceAll('\n', '\\n')}\n`);
    return 2;
  }
}

async function dispatch(args: string[], out: Out, err: Out): Promise<number> {
  const [first = '', ...rest] = args;
  // The rehearsal has a help text of its own.
  if (first !== 'rehearse' && args.some((arg) => /^--?(help|h)$/.test(arg))) {
    out.write(helpText());
    return 0;
  }
  const known = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  if (known) return (await known())(rest, out, err);
  if (first === 'help') {
    out.write(helpText());
    return 0;
  }
  if (first === '--version' || first === '-version') {
    out.write(`host-upgrades ${version()}\n`);
    return 0;
  }
  if (first !== '' && !first.startsWith('-')) {
    throw new UsageError(`unknown command ${first}; see host-upgrades --help`);
  }
  // The original has no commands: what begins with a flag is a run.
  const { run } = await import('./run.ts');
  return run(args, out, err);
}
