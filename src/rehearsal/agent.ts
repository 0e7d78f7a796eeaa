import { fromEventObservable } from 'xstate';
import type { RunEvent, RunInput } from '../../machines/events.ts';
import type { RunSnapshot } from '../../machines/fold.ts';
import { runMachine } from '../../machines/run.ts';
import type { JournalFile } from '../journal/file.ts';
import { type LivePorts, type LiveRun, resumeRun, startRun } from '../journal/live.ts';
import { kubeActors } from '../kube/actors.ts';
import type { KubeClient } from '../kube/client.ts';
import { createNode } from '../kube/node.ts';
import type { WatchLimits } from '../kube/watch.ts';
import type { VirtualClock } from './clock.ts';
import type { SimulatedHost } from './hosts.ts';
import type { OpenJournal } from './journal.ts';

export interface AgentOptions {
  clock: VirtualClock;
  client: KubeClient;
  host: SimulatedHost;
  input: RunInput;
  limits: WatchLimits;
  openJournal: OpenJournal;
  version: string;
  onLine: LivePorts['onLine'];
  onRecord: LivePorts['onRecord'];
  /** A line that is no line of the run. */
  warn(message: string): void;
  /** The run is over; not called for one that is only interrupted. */
  onEnded(): void;
}

/** host-upgrades on one node: everything is the program's own but the host. */
export interface Agent {
  /** The schedule's tick. */
  tick(): void;
  /** Tells the process to stop during its upgrade; a new one goes on `downMs` later. */
  restart(downMs: number): void;
  /** Kills the process wherever its run is; a new one goes on `downMs` later. */
  kill(downMs: number): void;
  /** The run as it is, or null before the tick. */
  snapshot(): RunSnapshot | null;
  close(): Promise<void>;
}

export function createAgent(options: AgentOptions): Agent {
  const { clock, client, host, input, limits, openJournal, warn } = options;
  let journal = openJournal(input.node);
  let isOpen = true;
  let run: LiveRun | null = null;
  const node = createNode(client, input.node, () => clock.nowMs(), warn);
  const machine = runMachine.provide({
    actors: {
      ...kubeActors(client, node, limits, clock),
      upgradeHost: fromEventObservable<RunEvent, { node: string; resumed: boolean }>(
        ({ input: { resumed } }) => host.upgrade(resumed),
      ),
    },
  });
  const close = () => {
    if (isOpen) journal.close();
    isOpen = false;
  };
  const append: JournalFile['append'] = (record, flush) => {
    // Its descriptor may be another file's by now.
    if (!isOpen) throw new Error('closed');
    return journal.append(record, flush);
  };
  const ports = (): LivePorts => ({
    machine,
    journal: { ...journal, append },
    clock,
    version: options.version,
    onLine: options.onLine,
    onResumption: () => {},
    onRecord: options.onRecord,
    onJournalError: (error) => warn(`the journal cannot be written: ${error.message}`),
  });
  const follow = (started: LiveRun) => {
    run = started;
    void started.ended.then(({ status }) => {
      if (status !== 'active') options.onEnded();
    });
  };
  const goOn = (downMs: number) => {
    close();
    clock.setTimeout(() => {
      journal = openJournal(input.node);
      isOpen = true;
      if (journal.last?.snapshot.status === 'active') follow(resumeRun(journal.last, ports()));
    }, downMs);
  };
  return {
    tick: () => follow(startRun(`${input.node}-1`, input, ports())),
    restart(downMs) {
      // Another fault has ended it before.
      if (!isOpen) return;
      run?.send({ type: 'stop.requested' });
      goOn(downMs);
    },
    kill(downMs) {
      if (!isOpen || run?.snapshot().status !== 'active') return;
      run.abandon();
      goOn(downMs);
    },
    snapshot: () => run?.snapshot() ?? null,
    async close() {
      close();
      await client.close();
    },
  };
}
