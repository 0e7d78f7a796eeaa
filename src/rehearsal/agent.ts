import { fromEventObservable } from 'xstate';
import type { RunEvent, RunInput } from '../../machines/events.ts';
import type { RunSnapshot } from '../../machines/fold.ts';
import type { Line } from '../../machines/lines.ts';
import { runMachine } from '../../machines/run.ts';
import type { NodeInput, UpgradeInput } from '../../machines/setup.ts';
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
  onLine(line: Line): void;
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
  /** Its host goes down, and the process with it. */
  down(): void;
  /** Its host is up again. */
  up(): void;
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
      ...kubeActors({ client, node, warn, limits, clock, wall: clock }),
      upgradeHost: fromEventObservable<RunEvent, UpgradeInput>(({ input: { resumed } }) =>
        host.upgrade(resumed),
      ),
      rebootHost: fromEventObservable<RunEvent, NodeInput>(() => host.reboot()),
    },
    actions: { log: (_, line: Line) => options.onLine(line) },
  });
  const close = () => {
    if (isOpen) journal.close();
    isOpen = false;
  };
  const bootNow = () => ({ ...host.boot(), atMs: clock.nowMs() });
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
    boot: bootNow(),
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
  const open = () => {
    if (isOpen || !host.isUp()) return;
    journal = openJournal(input.node);
    isOpen = true;
    if (journal.last?.snapshot.status === 'active') follow(resumeRun(journal.last, ports()));
  };
  const goOn = (downMs: number) => {
    close();
    clock.setTimeout(open, downMs);
  };
  return {
    tick: () => follow(startRun(`${input.node}-1`, { ...input, boot: bootNow() }, ports())),
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
    down() {
      if (!isOpen) return;
      run?.send({ type: 'stop.requested' });
      close();
    },
    up: open,
    snapshot: () => run?.snapshot() ?? null,
    async close() {
      close();
      await client.close();
    },
  };
}
