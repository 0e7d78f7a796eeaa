import { join } from 'node:path';
import { Observable } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import { type Bus, BusError } from './bus.ts';
import type { Config } from './config.ts';
import type { Driver } from './driver.ts';
import { HostError } from './errors.ts';
import { readUnitJournal } from './journal.ts';
import { isShuttingDown } from './logind.ts';
import { showProgress } from './progress.ts';
import { withBus } from './reconnect.ts';
import { noStatus } from './status.ts';
import { clearUnit, isAtWork, startUnit, type UnitState, unitEnded, unitState } from './systemd.ts';

export const UNIT = 'host-upgrades.service';

export interface UpgradeOptions {
  connect: () => Promise<Bus>;
  driver: Driver;
  /** The host mount, under the same path here and on the host. */
  mount: string;
  /** Reads the configuration as it is now. Throws HostError. */
  readConfig: () => Config | null;
  bootMs: number;
  /** Where the host's journal may be, for the unit's lines when it fails. */
  journalPaths: string[];
  warn: (message: string) => void;
  /** How long another package manager may be at work, and the first pause in between, s. */
  busyLimitS?: number;
  busyPauseS?: number;
  /** How often the output is looked at, and how often a lost bus is called again, ms. */
  followMs?: number;
  reconnectMs?: number;
}

const BUSY_LIMIT_S = 600;
const BUSY_PAUSE_S = 5;

/**
 * Upgrades the host by its own means, as a unit of its systemd: upgrade.output for each line, then
 * upgrade.finished or upgrade.failed. `run` marks the unit as this run's: it is started once, also
 * where the bus or this process is gone in between. An upgrade that is at work already is adopted, and
 * its output given from its beginning. With `resumed` it may be at work before the bus has said so;
 * with `isCheckOnly` nothing is upgraded, only looked at whether a reboot is required.
 * Unsubscribing leaves the unit alone.
 */
export function upgrade(
  options: UpgradeOptions,
  run: string,
  { resumed = false, isCheckOnly = false },
): Observable<RunEvent> {
  const task: Task = isCheckOnly ? { run: `${run}/check`, isCheckOnly } : { run, isCheckOnly };
  return new Observable((subscriber) => {
    const stop = new AbortController();
    const { driver, mount, followMs } = options;
    const paths = driver.progress.map((name) => join(mount, name));
    const show = (text: string) => subscriber.next({ type: 'upgrade.output', text });
    const progress = showProgress(paths, show, followMs);
    let isTold = false;
    let isUnderWay = resumed;
    const tell = (event: RunEvent) => {
      progress.end();
      // Whoever listens may unsubscribe at once.
      isTold = true;
      subscriber.next(event);
    };
    const work = async (bus: Bus) => {
      const event = await perform(bus, options, task, () => {
        isUnderWay = true;
        progress.begin();
      });
      if (stop.signal.aborted) return;
      tell(event);
      // Its end is told: the name is free for the next, and for other programs of that unit's name.
      await clearUnit(bus, UNIT).catch((error: Error) => options.warn(`${UNIT}: ${error.message}`));
    };
    withBus(options.connect, stop.signal, work, () => isUnderWay, options.warn, options.reconnectMs)
      .catch((error: unknown) => {
        if (!stop.signal.aborted) tell(failed(error, options.bootMs));
      })
      .finally(() => subscriber.complete());
    return () => {
      progress.stop();
      if (!isTold) stop.abort();
    };
  });
}

/** Whether an upgrade is at work on the host. Throws BusError. */
export async function isUpgrading(bus: Bus): Promise<boolean> {
  return isAtWork(await unitState(bus, UNIT));
}

/** Somebody else's shutdown is under way: nothing of the upgrade has failed. */
class HostShutdown extends HostError {}

/** What a unit is started for. */
interface Task {
  /** Its mark: one start for each. */
  run: string;
  isCheckOnly: boolean;
}

async function perform(
  bus: Bus,
  options: UpgradeOptions,
  task: Task,
  begin: () => void,
): Promise<RunEvent> {
  const { driver, mount, bootMs, journalPaths } = options;
  const before = await unitState(bus, UNIT);
  const step = nextStep(before, task.run);
  if (step === 'refuse') {
    throw new Error(`${UNIT} is already running on the host, started by somebody else`);
  }
  if (step === 'start') {
    if (await isShuttingDown(bus)) throw new HostShutdown('waiting for programs that delay it');
    await start(bus, options, task);
  }
  begin();
  const unit = await unitEnded(bus, UNIT);
  const hasFailed = unit !== null && unit.result !== 'success';
  const journal = hasFailed ? await readUnitJournal(journalPaths, { unit: UNIT, ...unit }) : '';
  // The original's unit does not remain: systemd only keeps a failed one.
  const end = unit === null && before?.remains === false ? ENDED_WELL : unit;
  const verdict = driver.judge(mount, end, journal, bootMs);
  return verdict.kind === 'finished'
    ? { type: 'upgrade.finished', status: verdict.status }
    : { type: 'upgrade.failed', status: verdict.status, message: verdict.message };
}

const ENDED_WELL = { result: 'success', exitStatus: 0 };

/** What a unit of that name, or none, means for a run. */
export function nextStep(unit: UnitState | null, run: string): 'start' | 'adopt' | 'refuse' {
  // Its own, at work or ended: never a second one.
  if (unit?.environment.includes(`HOST_UPGRADES_RUN=${run}`)) return 'adopt';
  if (unit === null) return 'start';
  const isUpgrade = unit.environment.some((variable) => variable.startsWith('HOST_PATH='));
  // Of another run, whose process is gone: the lock is this run's, and so is the waiting.
  if (isAtWork(unit)) return isUpgrade ? 'adopt' : 'refuse';
  // What has ended may be cleared; a service of somebody else that is up may not.
  return isUpgrade || unit.activeState !== 'active' ? 'start' : 'refuse';
}

async function start(bus: Bus, options: UpgradeOptions, { run, isCheckOnly }: Task): Promise<void> {
  const { driver, mount, busyLimitS = BUSY_LIMIT_S, busyPauseS = BUSY_PAUSE_S } = options;
  const config = options.readConfig();
  driver.prepare(mount, config);
  driver.clean(mount);
  await startUnit(bus, {
    name: UNIT,
    description: 'Host upgrades',
    command: driver.command(mount),
    environment: {
      HOST_PATH: mount,
      HOST_UPGRADES_RUN: run,
      ...(isCheckOnly ? { CHECK_ONLY: 'yes' } : {}),
      BUSY_LIMIT_S: `${busyLimitS}`,
      BUSY_PAUSE_S: `${busyPauseS}`,
      ...driver.environment(mount, config),
    },
  });
}

function failed(error: unknown, bootMs: number): RunEvent {
  const message = error instanceof Error ? error.message : String(error);
  const isRefused = error instanceof BusError && error.name.endsWith('.TransactionIsDestructive');
  const isShutdown = isRefused || error instanceof HostShutdown;
  const what = isShutdown ? 'the host is shutting down' : 'Failed to run host upgrades';
  return { type: 'upgrade.failed', status: noStatus(bootMs), message: `${what}: ${message}` };
}
