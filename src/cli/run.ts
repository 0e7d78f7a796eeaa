import { HostError } from '../host/errors.ts';
import { KubeConfigError } from '../kube/config.ts';
import { ClusterError } from '../kube/preflight.ts';
import { createLog } from '../log/log.ts';
import { HealthError } from '../service/health.ts';
import { start } from '../service/start.ts';
import { StateError } from '../service/state.ts';
import { version } from '../version.ts';
import { parseFlags } from './flags.ts';
import type { Out } from './main.ts';
import { runOptions } from './options.ts';
import { showAgent } from './run-inspect.ts';
import { UsageError } from './usage.ts';

/** What a start refuses: the caller's to mend. */
const REFUSALS = [KubeConfigError, ClusterError, HostError, StateError, HealthError];

/** `run`: the service. Returns its exit code; throws UsageError. */
export async function run(
  args: string[],
  out: Out,
  _err?: Out,
  pageFolder?: string,
): Promise<number> {
  if (args.some((arg) => /^--?version$/.test(arg))) {
    out.write(`host-upgrades ${version()}\n`);
    return 0;
  }
  const options = runOptions(parseFlags(args, process.env), process.env);
  const isTerminal = out.isTTY === true;
  const log = createLog({
    format: options.logFormat,
    level: options.logLevel,
    write: (line) => out.write(line),
    isTerminal,
    hasColour: isTerminal && !process.env.NO_COLOR,
    nowMs: Date.now,
  });
  const { inspect: address, statePath } = options;
  const shown =
    address === null
      ? null
      : showAgent({
          address,
          statePath,
          log,
          nowMs: Date.now,
          ...(pageFolder ? { pageFolder } : {}),
        });
  const stop = stopOnSignals();
  try {
    const result = await start(options, shown?.log ?? log, stop.signal, shown?.watcher);
    if (result === 'stopped') return options.schedule === null ? stop.exitCode() : 0;
    return result === 'succeeded' ? 0 : 1;
  } catch (error) {
    if (REFUSALS.some((refusal) => error instanceof refusal)) {
      throw new UsageError((error as Error).message);
    }
    throw error;
  } finally {
    await shown?.close();
  }
}

/** 128 + signal, as a shell says it. */
const EXIT_CODES = { SIGTERM: 143, SIGINT: 130 };

function stopOnSignals(): { signal: AbortSignal; exitCode(): number } {
  const controller = new AbortController();
  let exitCode = 0;
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    // Each only once: whoever asks a second time gets the signal's own effect.
    process.once(name, () => {
      exitCode = EXIT_CODES[name];
      controller.abort();
    });
  }
  return { signal: controller.signal, exitCode: () => exitCode };
}
