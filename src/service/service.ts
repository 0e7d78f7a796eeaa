import type { RunSnapshot } from '../../machines/fold.ts';
import type { FoldedRun } from '../journal/fold.ts';
import type { RunClock } from '../journal/live.ts';
import type { Log } from '../log/log.ts';
import { formatScheduleLine, type ScheduleLine } from '../schedule/lines.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { judge } from '../schedule/tick.ts';
import { startTicker } from '../schedule/ticker.ts';
import { deadlineOf, openWindow } from '../schedule/window.ts';
import type { Before, Runner } from './runner.ts';

/** How long a run may take to rest or to end when the process is told to stop. */
export const STOP_GRACE_MS = 4_000;

/** What an earlier process left behind. */
export interface Beginning {
  /** A run that the journal shows unfinished. */
  unfinished: FoldedRun | null;
  /** What there is to adopt or to clean up, though no journal tells of it; null: nothing. */
  before: Before | null;
}

export interface Timetable {
  schedule: Schedule;
  /** 0: no window. */
  windowMs: number;
  /** The zone in which times are shown. */
  zone: string;
  /** When the process started, ms: a tick since then, which the start-up took, is not missed. */
  sinceMs: number;
  /** --hard-window: it holds for what was left behind, too. */
  isHard: boolean;
}

export interface ServicePorts {
  runner: Runner;
  log: Log;
  clock: RunClock;
  /** Aborted by SIGTERM or SIGINT. */
  stop: AbortSignal;
}

/** One run, or the end of one that was left behind. Whether it succeeded; null: it was stopped. */
export async function runOnce(beginning: Beginning, ports: ServicePorts): Promise<boolean | null> {
  const run = runOnceFrom(beginning, ports);
  const stopped = aborted(ports.stop).then(() => null);
  const snapshot = await Promise.race([run, stopped]);
  if (snapshot !== null) return snapshot.value === 'done';
  await stopRun(ports);
  return null;
}

/** What was left on the cluster is put right first; that is no run yet. */
async function runOnceFrom(beginning: Beginning, ports: ServicePorts): Promise<RunSnapshot> {
  const { runner, stop } = ports;
  const left = await (begin(beginning, ports) ?? runner.start(null, NOTHING));
  const isCleanUp = beginning.unfinished === null && beginning.before?.leftover !== undefined;
  return isCleanUp && !stop.aborted ? runner.start(null, NOTHING) : left;
}

/** Runs at each tick until the process is told to stop; a failed run waits for the next tick. */
export async function runScheduled(
  beginning: Beginning,
  { schedule, windowMs, zone, sinceMs, isHard }: Timetable,
  ports: ServicePorts,
): Promise<void> {
  const { runner, log, clock, stop } = ports;
  const say = (line: ScheduleLine) => {
    const isTrouble = ['schedule.busy', 'schedule.missed', 'schedule.failed'].includes(line.id);
    log.say(isTrouble ? 'warn' : 'info', formatScheduleLine(line, zone));
  };
  const next = () => {
    const nowMs = clock.nowMs();
    const nextMs = schedule.next(nowMs);
    return { nextMs, inMs: nextMs - nowMs };
  };
  say({ id: 'schedule.using', schedule: schedule.text, ...next() });
  if (windowMs > 0) say({ id: 'schedule.window', windowMs });

  const follow = async (run: Promise<RunSnapshot>) => {
    const startedMs = clock.nowMs();
    const { value } = await run;
    if (stop.aborted) return;
    const id = value === 'done' ? 'schedule.completed' : 'schedule.failed';
    say({ id, tookMs: Math.max(0, clock.nowMs() - startedMs), ...next() });
  };
  const onTick = (tickMs: number) => {
    const deadlineMs = deadlineOf(tickMs, windowMs);
    say({ id: 'schedule.started', deadlineMs });
    const deadlineInMs = deadlineMs === null ? null : Math.max(0, deadlineMs - clock.nowMs());
    void follow(runner.start(deadlineInMs, NOTHING));
  };

  const deadlineInMs = isHard ? leftOf(schedule, windowMs, clock.nowMs()) : null;
  const leftBehind = begin(beginning, ports, deadlineInMs);
  if (leftBehind) void follow(leftBehind);
  const ticker = startTicker({
    schedule,
    clock,
    windowMs,
    isBusy: runner.isBusy,
    onTick,
    onBusy: () => say({ id: 'schedule.busy' }),
    onMissed: (tickMs, lateMs) => say({ id: 'schedule.missed', tickMs, lateMs }),
  });
  const lastMs = schedule.previous(clock.nowMs());
  const isOpen = judge(clock.nowMs() - lastMs, windowMs, runner.isBusy()) === 'run';
  if (lastMs > sinceMs && isOpen) onTick(lastMs);
  await aborted(stop);
  ticker.stop();
  await stopRun(ports);
}

const NOTHING: Before = { adopt: false };

/** What is left of the window that is open now; 0: none is. */
function leftOf(schedule: Schedule, windowMs: number, nowMs: number): number | null {
  if (windowMs === 0) return null;
  const tickMs = openWindow(schedule, windowMs, nowMs);
  return tickMs === null ? 0 : tickMs + windowMs - nowMs;
}

function begin(
  { unfinished, before }: Beginning,
  { runner }: ServicePorts,
  deadlineInMs: number | null = null,
) {
  if (unfinished) return runner.resume(unfinished);
  return before === null ? null : runner.start(deadlineInMs, before);
}

/** Lets the run rest or end; what does not in time is picked up by the next start. */
async function stopRun({ runner, clock, log }: ServicePorts): Promise<void> {
  if (!runner.isBusy()) return;
  let timer: unknown;
  const late = new Promise<'late'>((resolve) => {
    timer = clock.setTimeout(() => resolve('late'), STOP_GRACE_MS);
  });
  const outcome = await Promise.race([runner.stop(), late]);
  clock.clearTimeout(timer);
  if (outcome !== 'late') return;
  runner.abandon();
  log.say('warn', 'Stopping in the middle of a run; the next start goes on');
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
