import { accessSync, constants, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openJournal } from '../journal/file.ts';
import { isColoured } from '../rehearsal/colour.ts';
import { RehearsalError } from '../rehearsal/errors.ts';
import { memoryJournals, type OpenJournal } from '../rehearsal/journal.ts';
import type { RolloutOptions } from '../rehearsal/rollout.ts';
import { version } from '../version.ts';
import { untilStopped } from './inspector.ts';
import type { Out } from './main.ts';
import { REHEARSE_HELP, rehearseFlags } from './rehearse-flags.ts';
import { type Shown, showRehearsal } from './rehearse-inspect.ts';
import { jsonPrinter, type Printer, textPrinter } from './rehearse-print.ts';
import { UsageError } from './usage.ts';

/** A Tuesday night; the same for all rehearsals, so that two can be compared. */
const TICK_MS = Date.UTC(2026, 0, 6, 3, 0, 0);
const INTERRUPTED = 130;

/**
 * `rehearse`: 0 where the rollout went as it has to, 1 with what was violated, 130 after SIGINT.
 * Throws UsageError.
 */
export async function rehearse(
  args: string[],
  out: Out,
  err: Out,
  env: NodeJS.ProcessEnv = process.env,
  pageFolder?: string,
): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    out.write(REHEARSE_HELP);
    return 0;
  }
  const flags = rehearseFlags(args);
  const warn = (message: string) => err.write(`host-upgrades: ${message}\n`);
  const journals = flags.journalDir === null ? memoryJournals() : folder(flags.journalDir, warn);
  const printer =
    flags.format === 'json'
      ? jsonPrinter(out)
      : textPrinter(flags, out, isColoured(out.isTTY === true, env));
  // Loaded only now: the Kubernetes client takes most of a second.
  const { rollout } = await import('../rehearsal/rollout.ts');
  const { inspect } = flags;
  const shown = inspect && (await showRehearsal(flags, inspect.address, TICK_MS, pageFolder));
  if (shown) err.write(`Inspector: ${shown.url}\n`);
  const controller = new AbortController();
  const interrupt = () => controller.abort();
  process.on('SIGINT', interrupt);
  try {
    printer.begin();
    const outcome = await rollout(
      {
        ...flags,
        ...printer,
        ...(shown ? showing(printer, shown) : {}),
        tickMs: TICK_MS,
        openJournal: journals,
        version: version(),
      },
      controller.signal,
    );
    if (outcome === null) {
      warn('the rehearsal was interrupted');
      return INTERRUPTED;
    }
    printer.end(outcome);
    for (const violation of outcome.violations) err.write(`violated: ${violation}\n`);
    if (shown) {
      shown.end();
      const stopped = untilStopped();
      warn(`the rehearsal is over; the inspector stays at ${shown.url} until Ctrl-C`);
      await stopped;
    }
    return outcome.violations.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof RehearsalError)) throw error;
    warn(`the rehearsal cannot go on: ${error.message}; start it again`);
    return 1;
  } finally {
    process.off('SIGINT', interrupt);
    await shown?.close();
  }
}

/** What a rollout tells, printed and shown. */
function showing(
  printer: Printer,
  { pace, onRecord, onNote }: Shown,
): Pick<RolloutOptions, 'pace' | 'onRecord' | 'onNote'> {
  return {
    pace,
    onRecord(node, record) {
      printer.onRecord(node, record);
      onRecord(node, record);
    },
    onNote(text, atMs) {
      printer.onNote(text, atMs);
      onNote(text, atMs);
    },
  };
}

/** Journals as DIR/NODE.ndjson, in a folder that has to be new or empty. */
function folder(path: string, warn: (message: string) => void): OpenJournal {
  const refuse = (why: string) => new UsageError(`rehearse --journal-dir=${path}: ${why}`);
  try {
    if (!existsSync(path)) mkdirSync(path);
    accessSync(path, constants.W_OK);
    if (readdirSync(path).length > 0) throw refuse('not empty; give a new folder');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw refuse(`no folder to write to (${(error as NodeJS.ErrnoException).code})`);
  }
  return (node) => openJournal(join(path, `${node}.ndjson`), warn);
}
