import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Subject } from 'rxjs';
import { fromEventObservable, SimulatedClock } from 'xstate';
import type { RunEvent } from '../../machines/events.ts';
import type { Line } from '../../machines/lines.ts';
import { runMachine } from '../../machines/run.ts';
import { openJournal } from '../../src/journal/file.ts';
import type { LivePorts } from '../../src/journal/live.ts';
import { parseJournal } from '../../src/journal/record.ts';
import { formatLine } from '../../src/trace/format.ts';
import { INPUT } from '../machines/input.ts';

/** A process: its machine's actors are subjects that the test answers for. */
export function start(path: string, clock = new SimulatedClock()) {
  const calls: [string, unknown][] = [];
  let current = new Subject<RunEvent>();
  const onCall: { run: (name: string) => void } = { run: () => {} };
  const port = <Input>(name: string) =>
    fromEventObservable<RunEvent, Input>(({ input }) => {
      calls.push([name, input]);
      onCall.run(name);
      current = new Subject<RunEvent>();
      return current;
    });
  const lines: string[] = [];
  const errors: string[] = [];
  const journal = openJournal(path, (warning) => errors.push(warning));
  const ports: LivePorts = {
    machine: runMachine.provide({
      actors: {
        readLock: port('readLock'),
        watchLock: port('watchLock'),
        acquireLock: port('acquireLock'),
        releaseLock: port('releaseLock'),
        upgradeHost: port('upgradeHost'),
        reportNode: port('reportNode'),
        cordonNode: port('cordonNode'),
        drainNode: port('drainNode'),
        uncordonNode: port('uncordonNode'),
        markReboot: port('markReboot'),
        rebootHost: port('rebootHost'),
        clearReboot: port('clearReboot'),
      },
      actions: { log: (_, line: Line) => void lines.push(formatLine(line, INPUT)) },
    }),
    journal,
    clock: {
      nowMs: () => clock.now(),
      setTimeout: (run, delayMs) => clock.setTimeout(run, delayMs),
      clearTimeout: (id) => clock.clearTimeout(id as number),
    },
    version: '1',
    onResumption: () => {},
    onRecord: () => {},
    onJournalError: (error) => errors.push(error.message),
  };
  const names = () => calls.map(([name]) => name);
  const answer = (event: RunEvent) => current.next(event);
  return { ports, calls, names, answer, lines, errors, journal, clock, onCall };
}

export function inFolder(run: (path: string) => Promise<void> | void) {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), 'live-'));
    try {
      await run(join(folder, 'journal.ndjson'));
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
}

export const records = (path: string) => parseJournal(readFileSync(path)).records;
