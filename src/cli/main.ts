import { readFileSync } from 'node:fs';
import { mermaid } from '../diagram/mermaid.ts';
import { replay } from './replay.ts';

export interface Out {
  write(text: string): unknown;
}

const HELP = `host-upgrades: patches the machines under a Kubernetes cluster, one at a time

Usage:
  host-upgrades replay [--format=states|classic|json] FILE|-
  host-upgrades diagram

Commands:
  replay      folds a recorded log through the run machine and prints every step
              FILE  a journal, a JSON log, or a classic text log of this program or of
                    pharos-host-upgrades; -: standard input
              --format  states (default): time, from -> to, event, line
                        classic: the log again; json: one record a line
  diagram     prints the run machine as a Mermaid state diagram

Options:
  --help      this text
  --version   the program's version

Exit codes: 0 a legal history, 1 it diverges from the machine, 2 bad usage or not a history
`;

/** A mistake of the caller: one line that says what, where and what to do; exit code 2. */
export class UsageError extends Error {}

/** Runs the command line and returns its exit code. */
export function main(args: string[], out: Out, err: Out): number {
  try {
    return dispatch(args, out, err);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    err.write(`host-upgrades: ${error.message}\n`);
    return 2;
  }
}

function dispatch(args: string[], out: Out, err: Out): number {
  const [command, ...rest] = args;
  if (command === undefined || command === '--help' || command === '-h') {
    out.write(HELP);
    return command === undefined ? 2 : 0;
  }
  if (command === '--version') {
    out.write(`host-upgrades ${version()}\n`);
    return 0;
  }
  if (rest.includes('--help')) {
    out.write(HELP);
    return 0;
  }
  if (command === 'diagram') {
    if (rest.length > 0) throw new UsageError(`diagram takes no ${rest[0]}; see --help`);
    out.write(mermaid());
    return 0;
  }
  if (command === 'replay') return replay(rest, out, err);
  throw new UsageError(`unknown command or flag ${command}; see host-upgrades --help`);
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
