import { randomBytes, randomInt } from 'node:crypto';
import { type Observable, of } from 'rxjs';
import { fromEventObservable } from 'xstate';
import type { Boot, Disruption, Leftover, RunEvent, RunInput } from '../../machines/events.ts';
import type { RunSnapshot } from '../../machines/fold.ts';
import type { Line } from '../../machines/lines.ts';
import { runMachine } from '../../machines/run.ts';
import type {
  ClearInput,
  MarkInput,
  NodeInput,
  ReportInput,
  RunContext,
  UpgradeInput,
} from '../../machines/setup.ts';
import type { JournalFile } from '../journal/file.ts';
import type { FoldedRun } from '../journal/fold.ts';
import {
  type LivePorts,
  type LiveRun,
  type RunClock,
  resumeRun,
  startRun,
} from '../journal/live.ts';
import type { JournalRecord } from '../journal/record.ts';
import type { Log } from '../log/log.ts';
import type { Names } from '../trace/format.ts';

export type RunActors = NonNullable<Parameters<typeof runMachine.provide>[0]['actors']>;

/**
 * The actors without Kubernetes: there is no lock, and nobody to report to; a reboot is marked by
 * the journal, at the time of `clock`.
 */
export function nativeActors(clock: Pick<RunClock, 'nowMs'>): RunActors {
  return {
    reportNode: fromEventObservable<RunEvent, ReportInput>(() => of({ type: 'node.reported' })),
    markReboot: fromEventObservable<RunEvent, MarkInput>(() => {
      const atMs = clock.nowMs();
      return of({ type: 'reboot.marked', at: new Date(atMs).toISOString(), atMs });
    }),
    clearReboot: fromEventObservable<RunEvent, ClearInput>(() => of({ type: 'reboot.cleared' })),
  };
}

/** What was there before a run: an upgrade without a journal, or what a run left on the cluster. */
export interface Before {
  adopt: boolean;
  leftover?: Leftover;
}

/** Where the seeds and the ids of runs come from. */
export interface Entropy {
  seed(): number;
  /** Six hex digits. */
  suffix(): string;
}

const REAL_ENTROPY: Entropy = {
  seed: () => randomInt(2 ** 31),
  suffix: () => randomBytes(3).toString('hex'),
};

export interface RunnerOptions {
  names: Names;
  version: string;
  journal: JournalFile;
  clock: RunClock;
  log: Log;
  /** The actors towards Kubernetes, or those without it. */
  kubeActors: RunActors;
  /** The host's upgrade, for the run of this id. */
  upgradeHost(run: string, resumed: boolean): Observable<RunEvent>;
  rebootHost(): Observable<RunEvent>;
  disruption: Disruption;
  /** The boot that the host is in. */
  boot: Pick<Boot, 'bootId' | 'bootMs'>;
  /** Told of each record of a run. */
  onRecord?(record: JournalRecord): void;
  /** How many nodes the DaemonSet is for, as far as is known; grows wiser with each run. */
  nodes: number;
  entropy?: Entropy;
}

/** Runs one run at a time. */
export interface Runner {
  isBusy(): boolean;
  /** Of the run that is on, or of the last one; null: there was none. */
  snapshot(): RunSnapshot | null;
  /** A new run; `deadlineInMs` null: none. */
  start(deadlineInMs: number | null, before: Before): Promise<RunSnapshot>;
  resume(folded: FoldedRun): Promise<RunSnapshot>;
  /** Tells the run of a stop; resolves when it has ended or rests. */
  stop(): Promise<void>;
  /** Leaves a run that does not stop in time to the next process. */
  abandon(): void;
}

export function createRunner(options: RunnerOptions): Runner {
  const { names, clock, log, disruption, entropy = REAL_ENTROPY } = options;
  let { nodes } = options;
  let current: LiveRun | null = null;
  let ended: RunSnapshot | null = null;
  let previous = options.journal.last?.snapshot.context ?? null;
  const boot = (): Boot => ({ ...options.boot, atMs: clock.nowMs() });

  let running = '';
  const machine = runMachine.provide({
    actors: {
      ...options.kubeActors,
      upgradeHost: fromEventObservable<RunEvent, UpgradeInput>(({ input }) =>
        options.upgradeHost(running, input.resumed),
      ),
      rebootHost: fromEventObservable<RunEvent, NodeInput>(() => options.rebootHost()),
    },
    actions: { log: (_, line: Line) => log.line(line, names) },
  });
  const ports = (): LivePorts => ({
    machine,
    journal: options.journal,
    clock,
    version: options.version,
    boot: boot(),
    disruption,
    onResumption: (resumption) => log.resumption(resumption),
    onRecord: (record, lines) => {
      options.onRecord?.(record);
      log.record(record, lines, names);
    },
    onJournalError: ({ message }) =>
      log.say('error', `The journal cannot be written, the run goes on without it: ${message}`),
  });

  const follow = async (id: string, begin: () => LiveRun): Promise<RunSnapshot> => {
    if (current) throw new Error('a run is already on');
    running = id;
    current = begin();
    try {
      const snapshot = await current.ended;
      ended = snapshot;
      previous = snapshot.context;
      nodes = previous.nodes;
      return snapshot;
    } finally {
      current = null;
    }
  };

  return {
    isBusy: () => current !== null,
    snapshot: () => current?.snapshot() ?? ended,
    start(deadlineInMs, before) {
      const id = runId(clock.nowMs(), entropy);
      return follow(id, () => {
        const input = {
          ...names,
          ...before,
          deadlineInMs,
          nodes,
          seed: entropy.seed(),
          disruption,
          boot: boot(),
          ...rebootsBefore(previous, options.boot.bootId),
        };
        return startRun(id, input, ports());
      });
    },
    resume: (folded) => follow(folded.run, () => resumeRun(folded, ports())),
    async stop() {
      const run = current;
      if (!run) return;
      run.send({ type: 'stop.requested' });
      await run.ended;
    },
    abandon: () => current?.abandon(),
  };
}

/** What a run has to know of the reboots of the one before, in the boot that the host is in. */
export function rebootsBefore(
  previous: RunContext | null,
  bootId: string,
): Pick<RunInput, 'isRebootPending' | 'lastReboot'> {
  if (previous === null) return {};
  const { rebooted, status, boot, isRebootKept } = previous;
  // A run that never came to it keeps it for the next one.
  const isStillPending = previous.isRebootPending === true && status === null && rebooted === null;
  const lastReboot = rebooted
    ? {
        bootId: rebooted.bootId,
        cause: status?.rebootMessage ?? '',
        ...(status?.sinceMs === undefined ? {} : { sinceMs: status.sinceMs }),
      }
    : previous.lastReboot;
  return {
    // Another boot since is the reboot that was kept.
    isRebootPending: (isRebootKept || isStillPending) && boot?.bootId === bootId,
    ...(lastReboot?.bootId === bootId ? { lastReboot } : {}),
  };
}

/** Sorts by time, and is one of its kind also where clocks jump. */
function runId(nowMs: number, { suffix }: Entropy): string {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `${time}-${suffix()}`;
}
