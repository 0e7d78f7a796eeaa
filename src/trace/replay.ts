import type { Boot, RunEvent, RunInput } from '../../machines/events.ts';
import {
  advance,
  type Point,
  pointOf,
  type RunSnapshot,
  type Step,
  start,
  stateName,
} from '../../machines/fold.ts';
import { disruptionOf } from '../../machines/setup.ts';
import { formatLine, type Names } from './format.ts';
import { BEGINNINGS, candidates, markAhead, silentEvent } from './infer.ts';
import { type Entry, entryText, parseEntries } from './parse.ts';
import { disruptionAhead, leftoverAhead } from './policy.ts';
import { guessInterrupted, interrupted } from './resume.ts';
import { advanceStartUp, type StartUp } from './startup.ts';

/** One record of a replayed log. `event` is null for lines outside the machine. */
export interface ReplayRecord {
  lineNumber: number;
  time: string;
  from: string;
  to: string;
  event: RunEvent | null;
  /** Of the run that begins here, as far as the log tells. */
  input?: RunInput;
  /** Where the run was ahead of this, where the log does not hold its beginning. */
  point?: Point;
  /** The texts written, with their times. */
  lines: string[];
}

export interface Divergence {
  lineNumber: number;
  state: string;
  message: string;
}

export interface Replay {
  records: ReplayRecord[];
  divergence: Divergence | null;
  findings: string[];
  /** How many runs began in this history. */
  runs: number;
}

interface Live {
  snapshot: RunSnapshot;
  names: Names;
}

interface State {
  records: ReplayRecord[];
  findings: string[];
  run: Live | null;
  /** The run of a process that died, until the next one goes on with it. */
  resumable: Live | null;
  names: Names;
  deadline: { text: string; ms: number } | null;
  /** Between the program's first line and its first run the lock is read, and released if it is own. */
  startUp: StartUp;
  /** No run has been on since the process began. */
  isNewProcess: boolean;
  runs: number;
}

/**
 * Folds a classic text log (this program's or the original's) through the run machine.
 * The log is legal where the machine writes the very same lines.
 */
export function replayLog(text: string): Replay {
  const steps = replaySteps(text);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** How far a replay is: whole is its last line; the log starts a run, or breaks ahead of one. */
export interface ReplayProgress {
  line: number;
  isHistory: boolean;
}

/** replayLog() in small steps. */
export function* replaySteps(text: string): Generator<ReplayProgress, Replay> {
  const entries: Entry[] = [];
  for (const more of parseEntries(text)) {
    entries.push(...more);
    yield { line: 0, isHistory: false };
  }
  const state: State = {
    records: [],
    findings: [],
    run: null,
    resumable: null,
    names: { namespace: '', daemonSet: '', node: '' },
    deadline: null,
    startUp: 'over',
    isNewProcess: false,
    runs: 0,
  };
  let index = 0;
  while (index < entries.length) {
    const result = replayEntry(entries, index, state);
    if (typeof result !== 'number') return { ...summary(state), divergence: result };
    index = result;
    yield { line: (entries[index - 1] as Entry).lineNumber, isHistory: state.runs > 0 };
  }
  return { ...summary(state), divergence: null };
}

function summary({ records, findings, runs }: State) {
  return { records, findings, runs };
}

/** Replays what starts at `index`; returns the next index, or where the history breaks. */
function replayEntry(entries: Entry[], index: number, state: State): number | Divergence {
  const entry = entries[index] as Entry;
  Object.assign(state.names, entry.names);
  if (isVersion(entry.text)) {
    // A new process: whatever ran before was interrupted, and may go on.
    const rest = state.run && interrupted(withMark(entries, index, state.run.snapshot));
    if (state.run && rest) state.resumable = { ...state.run, snapshot: rest };
    state.run = null;
    state.startUp = 'begun';
    state.isNewProcess = true;
    state.deadline = null;
  }
  if (isBeginning(entry) && !state.run) return beginRun(entries, index, state);
  if (isResuming(entry, state)) return goOn(entries, index, state);
  if (state.run) {
    const events = candidates(entries, index, state.run.snapshot);
    if (events.length > 0 || entry.line) return stepRun(entries, index, state, state.run, events);
    if (/^Schedule run (started|completed)/.test(entry.text)) {
      return diverge(entry, state.run, 'the run is not over here');
    }
    // An excerpt may stop in the middle of an entry.
    const isCut = index === entries.length - 1 && entry.text.includes('\n');
    if (isDamaged(entry) && !isCut)
      return diverge(entry, state.run, `${quote(entry)} is no whole line`);
  } else if (entry.line) {
    const next = advanceStartUp(state.startUp, entry, state.names.node);
    if (next === null) {
      const message = `no run is on here: ${quote(entry)}`;
      return { lineNumber: entry.lineNumber, state: 'no run', message };
    }
    state.startUp = next;
  }
  noteDeadline(entry, state);
  state.records.push(pass(entry, state.run));
  return index + 1;
}

/** A run begins by taking the lock, without one in native mode, or with an upgrade left over. */
function isBeginning({ line }: Entry): boolean {
  return line !== null && BEGINNINGS.includes(line.id);
}

/** Only a new process goes on with a run; an excerpt may begin there. */
function isResuming({ line }: Entry, { run, isNewProcess, records }: State): boolean {
  return line?.id === 'run.resuming' && !run && (isNewProcess || records.length === 0);
}

/** It begins as a line of this program, and is none. */
function isDamaged({ line, text }: Entry): boolean {
  return line === null && /^(Update kube node |kube\/lock )/.test(text);
}

function beginRun(entries: Entry[], index: number, state: State): number | Divergence {
  const { input, names } = inputOf(entries, index, state);
  const began = start(input);
  state.startUp = 'over';
  state.isNewProcess = false;
  state.resumable = null;
  state.runs += 1;
  state.run = { snapshot: began.snapshot, names };
  const at = state.records.length;
  const taken = take(entries, index, state, state.run, null, 'idle', began);
  Object.assign(state.records[at] as ReplayRecord, { input });
  return taken;
}

/** A run goes on in a new process; an excerpt may begin here. */
function goOn(entries: Entry[], index: number, state: State): number | Divergence {
  const { input, names } = inputOf(entries, index, state);
  if (!state.resumable) state.runs += 1;
  const run = state.resumable ?? { snapshot: guessInterrupted(entries, index, input), names };
  const guessed = state.resumable ? {} : { point: pointOf(run.snapshot) };
  const at = state.records.length;
  state.startUp = 'over';
  state.isNewProcess = false;
  state.resumable = null;
  state.run = run;
  const { deadlineInMs } = input;
  const done = entries.slice(index + 1).find(({ line }) => line !== null)?.line;
  const boot = done?.id === 'reboot.done' ? { boot: bootOf('after', done.bootMs) } : {};
  // The process that goes on is not allowed to reboot.
  const powers =
    done?.id === 'run.reboot.skipped' ? { disruption: { ...disruptionOf({}), reboot: false } } : {};
  const next = stepRun(entries, index, state, run, [
    { type: 'run.resumed', deadlineInMs, ...boot, ...powers },
  ]);
  Object.assign(state.records[at] ?? {}, guessed);
  return next;
}

function inputOf(entries: Entry[], index: number, state: State): { input: RunInput; names: Names } {
  const entry = entries[index] as Entry;
  const ahead = entries.slice(index);
  const lockNames = ahead.find(({ names }) => names.daemonSet !== undefined)?.names ?? {};
  const names = { ...state.names, ...lockNames, node: nodeOf(ahead, state.names.node) };
  const isNative =
    entry.line?.id === 'run.native' ||
    ahead.slice(0, 8).some(({ line }) => line?.id === 'node.skipped');
  const input = {
    ...names,
    // An excerpt of one line names no DaemonSet yet; '' would mean that there is none.
    daemonSet: isNative ? '' : names.daemonSet || '?',
    adopt: entry.line?.id === 'run.adopting',
    deadlineInMs: state.deadline && entry.time ? state.deadline.ms - timeMs(entry.time) : null,
    // Alone it reads the lock at once; whoever ends before that has waited for its turn.
    nodes: entry.line?.id === 'run.acquiring' && isLeftAtOnce(ahead) ? 2 : 1,
    seed: 0,
    boot: bootOf('before', 0),
    ...disruptionAhead(ahead),
    ...leftoverAhead(ahead),
  };
  return { input, names };
}

/** Whether a run ends or its process dies ahead of the run's second line. */
function isLeftAtOnce(ahead: Entry[]): boolean {
  const next = ahead.slice(1).find(({ line, text }) => line !== null || isVersion(text));
  return next !== undefined && (next.line === null || next.line.id === 'run.stopped');
}

/** A mark has no line; that it was made shows where a later process finds the reboot done. */
function withMark(entries: Entry[], index: number, snapshot: RunSnapshot): RunSnapshot {
  if (markAhead(entries, index) === '' || !snapshot.matches({ locked: 'rebooting' })) {
    return snapshot;
  }
  const event = silentEvent(entries, index, snapshot);
  const next = event && advance(snapshot, event);
  return next ? withMark(entries, index, next.snapshot) : snapshot;
}

function isVersion(text: string): boolean {
  return /^(pharos-)?host-upgrades version /.test(text);
}

function bootOf(bootId: string, bootMs: number): Boot {
  return { bootId, bootMs, atMs: 0 };
}

/** An excerpt names its node only where it writes the lock or finds it its own. */
function nodeOf(ahead: Entry[], known: string): string {
  if (known !== '') return known;
  for (const { line, names } of ahead) {
    if (names.node !== undefined) return names.node;
    if (line?.id === 'lock.set' || line?.id === 'lock.clear') return line.value;
    if (line?.id === 'lock.test' && line.verdict === 'acquired') return line.value;
  }
  return '';
}

function stepRun(
  entries: Entry[],
  index: number,
  state: State,
  run: Live,
  events: RunEvent[],
): number | Divergence {
  const entry = entries[index] as Entry;
  for (const event of events) {
    const next = advance(run.snapshot, event);
    // A step without a line cannot be what wrote this one.
    if (!next || next.lines.length === 0) continue;
    const from = stateName(run.snapshot.value);
    return take(entries, index, state, run, event, from, next);
  }
  const silent = silentEvent(entries, index, run.snapshot);
  const next = silent && advance(run.snapshot, silent);
  if (silent && next) {
    const from = stateName(run.snapshot.value);
    const taken = take(entries, index, state, run, silent, from, next);
    if (next.lines.length > 0) return taken;
    return stepRun(entries, index, state, run, candidates(entries, index, run.snapshot));
  }
  return diverge(entry, run, `${quote(entry)} cannot come here`);
}

/** Compares the lines of a step with the log, one for one, and accepts the step. */
function take(
  entries: Entry[],
  index: number,
  state: State,
  run: Live,
  event: RunEvent | null,
  from: string,
  next: Step,
): number | Divergence {
  const record: ReplayRecord = {
    lineNumber: (entries[index] as Entry).lineNumber,
    time: (entries[index] as Entry).time,
    from,
    to: stateName(next.snapshot.value),
    event,
    lines: [],
  };
  state.records.push(record);
  let at = index;
  for (const line of next.lines) {
    const expected = formatLine(line, run.names);
    // Other parts of the program write in between: their lines pass through where they stand.
    while (isForeign(entries[at], expected)) {
      record.lines.push(entryText(entries[at] as Entry));
      at += 1;
    }
    const entry = entries[at];
    if (!entry) break; // The excerpt stops in the middle of a step.
    if (entry.text !== expected) {
      const message = `expected ${JSON.stringify(expected)}, found ${quote(entry)}`;
      return { lineNumber: entry.lineNumber, state: from, message };
    }
    record.lines.push(entryText(entry));
    at += 1;
  }
  if (next.snapshot.status === 'active') {
    run.snapshot = next.snapshot;
  } else {
    state.run = null;
    noteLateness(entries[at - 1], state, next);
    state.deadline = null;
  }
  return at;
}

function isForeign(entry: Entry | undefined, expected: string): boolean {
  if (!entry || entry.line !== null || entry.text === expected || isDamaged(entry)) return false;
  return !/^((pharos-)?host-upgrades version |Schedule run )/.test(entry.text);
}

function pass(entry: Entry, run: Live | null): ReplayRecord {
  const state = run ? stateName(run.snapshot.value) : 'no run';
  const { lineNumber, time } = entry;
  return { lineNumber, time, from: state, to: state, event: null, lines: [entryText(entry)] };
}

function diverge(entry: Entry, run: Live, what: string): Divergence {
  const state = stateName(run.snapshot.value);
  const possible = possibleEvents(run.snapshot).join(', ');
  return { lineNumber: entry.lineNumber, state, message: `${what}; possible: ${possible}` };
}

/** The events that the machine knows in the current state, innermost state first. */
function possibleEvents(snapshot: RunSnapshot): string[] {
  const events = snapshot._nodes.flatMap((node) => node.ownEvents as string[]);
  return [...new Set(events)].sort();
}

function noteDeadline(entry: Entry, state: State): void {
  const match = /^Schedule run started, deadline at (\S+ [\d:]+)(\.\d+)? /.exec(entry.text);
  if (!match) return;
  const seconds = `${match[1]}`.replace(' ', 'T');
  const ms = Date.parse(`${seconds}Z`) + Math.floor(Number(`0${match[2] ?? ''}`) * 1000);
  state.deadline = { text: `${match[1]}`, ms };
}

function noteLateness(entry: Entry | undefined, state: State, next: Step): void {
  if (!entry || !state.deadline || next.snapshot.value !== 'failed') return;
  if (next.snapshot.context.status !== null) return; // It had the lock in time.
  // The log's times are whole seconds, so the deadline's are compared.
  const lateS = timeMs(entry.time) / 1000 - Math.floor(state.deadline.ms / 1000);
  // Also where the deadline's text is no time.
  if (!(lateS >= 1)) return;
  state.findings.push(
    `line ${entry.lineNumber}: the run ended after its deadline ${state.deadline.text}, about ${lateS} s late`,
  );
}

/** `YYYY/MM/DD HH:MM:SS` in ms; the log's times are taken as UTC. */
export function timeMs(time: string): number {
  return Date.parse(`${time.replaceAll('/', '-').replace(' ', 'T')}Z`);
}

function quote(entry: Entry): string {
  return JSON.stringify(entry.text);
}
