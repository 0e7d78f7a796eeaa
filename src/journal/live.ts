import { type Actor, createActor } from 'xstate';
import type { Boot, Disruption, RunEvent, RunInput } from '../../machines/events.ts';
import {
  advance,
  pointOf,
  type RunSnapshot,
  type Step,
  start,
  stateName,
} from '../../machines/fold.ts';
import type { Line } from '../../machines/lines.ts';
import { runMachine } from '../../machines/run.ts';
import type { JournalFile } from './file.ts';
import type { FoldedRun } from './fold.ts';
import type { JournalRecord, Resumption } from './record.ts';

/** What rules a run's time: xstate's clock with the wall time, ms since the epoch. */
export interface RunClock {
  nowMs(): number;
  setTimeout(run: () => void, delayMs: number): unknown;
  clearTimeout(id: unknown): void;
}

export interface LivePorts {
  /**
   * The run machine with its actors and its `log` provided; one for all runs of a process, since
   * xstate builds the whole machine anew each time.
   */
  machine: typeof runMachine;
  journal: JournalFile;
  clock: RunClock;
  version: string;
  /** The boot that the host is in, for a run that goes on. */
  boot?: Boot;
  /** What this process may do, for a run that goes on. */
  disruption?: Disruption;
  /** Ahead of the first record of a run of an earlier process. */
  onResumption(resumption: Resumption): void;
  /** Ahead of the lines, which follow from the record. */
  onRecord(record: JournalRecord, lines: Line[]): void;
  /** The journal can no longer be written; the run goes on, since a node must not keep the lock. */
  onJournalError(error: Error): void;
}

export interface LiveRun {
  id: string;
  send(event: RunEvent): void;
  /** Leaves the run as it is: its requests end, its host's upgrade does not, nothing is recorded. */
  abandon(): void;
  snapshot(): RunSnapshot;
  /** The snapshot in which the run ended, or rests as interrupted. */
  ended: Promise<RunSnapshot>;
}

/** Starts a run; its first record holds the whole input and is on the disk before any effect. */
export function startRun(id: string, input: RunInput, ports: LivePorts): LiveRun {
  const atMs = ports.clock.nowMs();
  const deadlineMs = input.deadlineInMs === null ? null : atMs + input.deadlineInMs;
  const write = writer(id, ports);
  const { snapshot, lines } = start(input);
  const state = stateName(snapshot.value);
  write({ atMs, run: id, state, input, deadlineMs, version: ports.version }, lines, true);
  return live(id, ports, write, (machine, options) => createActor(machine, { ...options, input }));
}

/**
 * Goes on with a run that the journal shows unfinished. The fold gives the state; the machine is
 * told of the interruption and then resumed as a live event, so that timers and actors start anew.
 */
export function resumeRun(folded: FoldedRun, ports: LivePorts): LiveRun {
  const { run: id, deadlineMs } = folded;
  ports.onResumption({ run: id, deadlineMs, point: pointOf(folded.snapshot) });
  const write = writer(id, ports);
  const atMs = ports.clock.nowMs();
  const snapshot = interrupt(folded.snapshot, (event, { snapshot: next, lines }) => {
    write({ atMs, run: id, state: stateName(next.value), event }, lines, false);
  });
  const resumed = live(id, ports, write, (machine, options) =>
    createActor(machine, {
      ...options,
      input: snapshot.context,
      snapshot: persisted(snapshot),
    }),
  );
  const deadlineInMs = deadlineMs === null ? null : Math.max(0, deadlineMs - atMs);
  const { boot, disruption } = ports;
  resumed.send({
    type: 'run.resumed',
    deadlineInMs,
    ...(boot === undefined ? {} : { boot: { ...boot, atMs } }),
    ...(disruption === undefined ? {} : { disruption }),
  });
  return resumed;
}

function interrupt(
  snapshot: RunSnapshot,
  record: (event: RunEvent, next: Step) => void,
): RunSnapshot {
  if (snapshot.value === 'interrupted') return snapshot;
  const event: RunEvent = { type: 'run.interrupted' };
  const next = advance(snapshot, event);
  if (!next) throw new Error(`a run cannot be interrupted in ${stateName(snapshot.value)}`);
  record(event, next);
  return next.snapshot;
}

/** Only a snapshot made plain by an actor can be given to another one. */
function persisted(snapshot: RunSnapshot) {
  return createActor(runMachine, { snapshot, input: snapshot.context }).getPersistedSnapshot();
}

type Unnumbered = Parameters<JournalFile['number']>[0];
type Write = (record: Unnumbered, lines: Line[], flush: boolean) => void;

function writer(id: string, { journal, onRecord, onJournalError }: LivePorts): Write {
  let isBroken = false;
  return (record, lines, flush) => {
    const numbered = journal.number(record);
    // Ahead of the file: a record that could not be written is still in the log.
    onRecord(numbered, lines);
    if (isBroken) return;
    try {
      journal.append(numbered, flush);
    } catch (error) {
      isBroken = true;
      onJournalError(new Error(`run ${id}: ${(error as Error).message}`, { cause: error }));
    }
  };
}

interface ActorOptions {
  clock: {
    now(): number;
    setTimeout: RunClock['setTimeout'];
    clearTimeout: RunClock['clearTimeout'];
  };
  inspect: (inspected: { type: string; actorRef: unknown; event?: { type: string } }) => void;
}

function live(
  id: string,
  ports: LivePorts,
  write: Write,
  create: (machine: typeof runMachine, options: ActorOptions) => Actor<typeof runMachine>,
): LiveRun {
  const { clock, machine } = ports;
  const actor: Actor<typeof runMachine> = create(machine, {
    clock: {
      now: () => clock.nowMs(),
      setTimeout: (run, delayMs) => clock.setTimeout(run, delayMs),
      clearTimeout: (timer) => clock.clearTimeout(timer),
    },
    // The inspection comes before the event is applied: here the record is written ahead of it.
    inspect: ({ type, actorRef, event }) => {
      if (type !== '@xstate.event' || actorRef !== actor || !event) return;
      if (event.type.startsWith('xstate.')) return;
      ahead(id, actor.getSnapshot(), event as RunEvent, clock.nowMs(), write);
    },
  });
  actor.start();
  const ended = new Promise<RunSnapshot>((resolve) => {
    if (actor.getSnapshot().status !== 'active') resolve(actor.getSnapshot());
    // Subscribed only now: a resumed run starts out as interrupted, which is not its end.
    actor.subscribe((snapshot) => {
      if (snapshot.status !== 'active' || snapshot.value === 'interrupted') resolve(snapshot);
    });
  });
  return {
    id,
    ended,
    send: (event) => actor.send(event),
    abandon: () => void actor.stop(),
    snapshot: () => actor.getSnapshot(),
  };
}

function ahead(id: string, before: RunSnapshot, event: RunEvent, atMs: number, write: Write): void {
  const next = advance(before, event);
  // What the machine does not take has no place in its history.
  if (!next) return;
  const { snapshot, lines } = next;
  // Only what an effect starts from must be on the disk; an upgrade's output need not wait for it.
  const isEntered = stateName(snapshot.value) !== stateName(before.value);
  const flush = (isEntered && snapshot.hasTag('effect')) || snapshot.status !== 'active';
  write({ atMs, run: id, state: stateName(snapshot.value), event }, lines, flush);
}
