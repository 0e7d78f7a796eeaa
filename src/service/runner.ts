import { randomBytes, randomInt } from 'node:crypto';
import { type Observable, of } from 'rxjs';
import { fromEventObservable } from 'xstate';
import type { RunEvent } from '../../machines/events.ts';
import type { RunSnapshot } from '../../machines/fold.ts';
import { runMachine } from '../../machines/run.ts';
import type { ReportInput } from '../../machines/setup.ts';
import type { JournalFile } from '../journal/file.ts';
import type { FoldedRun } from '../journal/fold.ts';
import {
  type LivePorts,
  type LiveRun,
  type RunClock,
  resumeRun,
  startRun,
} from '../journal/live.ts';
import type { Log } from '../log/log.ts';
import type { Names } from '../trace/format.ts';

export type RunActors = NonNullable<Parameters<typeof runMachine.provide>[0]['actors']>;

/** Without Kubernetes there is no lock, and nobody to report to. */
export const NATIVE_ACTORS: RunActors = {
  reportNode: fromEventObservable<RunEvent, ReportInput>(() => of({ type: 'node.reported' })),
};

export interface RunnerOptions {
  names: Names;
  version: string;
  journal: JournalFile;
  clock: RunClock;
  log: Log;
  /** The actors towards Kubernetes, or NATIVE_ACTORS. */
  kubeActors: RunActors;
  /** The host's upgrade, for the run of this id. */
  upgradeHost(run: string, resumed: boolean): Observable<RunEvent>;
  /** How many nodes the DaemonSet is for, as far as is known; grows wiser with each run. */
  nodes: number;
}

/** Runs one run at a time. */
export interface Runner {
  isBusy(): boolean;
  /** A new run; `deadlineInMs` null: none. `adopt`: an upgrade without a journal still runs. */
  start(deadlineInMs: number | null, adopt: boolean): Promise<RunSnapshot>;
  resume(folded: FoldedRun): Promise<RunSnapshot>;
  /** Tells the run of a stop; resolves when it has ended or rests. */
  stop(): Promise<void>;
  /** Leaves a run that does not stop in time to the next process. */
  abandon(): void;
}

export function createRunner(options: RunnerOptions): Runner {
  const { names, clock, log } = options;
  let { nodes } = options;
  let current: LiveRun | null = null;

  const ports = (id: string): LivePorts => ({
    machine: runMachine.provide({
      actors: {
        ...options.kubeActors,
        upgradeHost: fromEventObservable<RunEvent, { node: string; resumed: boolean }>(
          ({ input }) => options.upgradeHost(id, input.resumed),
        ),
      },
    }),
    journal: options.journal,
    clock,
    version: options.version,
    onLine: (line) => log.line(line, names),
    onResumption: (resumption) => log.resumption(resumption),
    onRecord: (record, lines) => log.record(record, lines, names),
    onJournalError: ({ message }) =>
      log.say('error', `The journal cannot be written, the run goes on without it: ${message}`),
  });

  const follow = async (begin: () => LiveRun): Promise<RunSnapshot> => {
    if (current) throw new Error('a run is already on');
    current = begin();
    try {
      const snapshot = await current.ended;
      nodes = snapshot.context.nodes;
      return snapshot;
    } finally {
      current = null;
    }
  };

  return {
    isBusy: () => current !== null,
    start: (deadlineInMs, adopt) =>
      follow(() => {
        const id = runId(clock.nowMs());
        const seed = randomInt(2 ** 31);
        return startRun(id, { ...names, adopt, deadlineInMs, nodes, seed }, ports(id));
      }),
    resume: (folded) => follow(() => resumeRun(folded, ports(folded.run))),
    async stop() {
      const run = current;
      if (!run) return;
      run.send({ type: 'stop.requested' });
      await run.ended;
    },
    abandon: () => current?.abandon(),
  };
}

/** Sorts by time, and is one of its kind also where clocks jump. */
function runId(nowMs: number): string {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `${time}-${randomBytes(3).toString('hex')}`;
}
