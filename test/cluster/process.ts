import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program of the control plane, its output in a file; it never outlives this process. */
export interface Process {
  child: ChildProcess;
  /** Throws with the end of its output where it has ended. */
  assertRunning(): void;
  /** Resolves when it has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts `path`; its output is added to `name`.log in `folder`. */
export function startProcess(folder: string, name: string, path: string, args: string[]): Process {
  const file = join(folder, `${name}.log`);
  const log = openSync(file, 'a');
  const child = spawn(path, args, { stdio: ['ignore', log, log] });
  closeSync(log);
  const exited = once(child, 'exit');
  const stop = () => child.kill('SIGKILL');
  process.once('exit', stop);
  void exited.then(() => process.off('exit', stop));
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    child,
    assertRunning() {
      if (!isRunning())
        throw new Error(`${name} ended:\n${readFileSync(file, 'utf8').slice(-2_000)}`);
    },
    async kill(signal = 'SIGKILL') {
      // A pid is only ours while the process has not ended.
      if (isRunning()) child.kill(signal);
      await exited;
    },
  };
}
