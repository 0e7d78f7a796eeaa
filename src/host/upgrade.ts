import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Observable, type Subscriber } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import { type Bus, BusError, BusLost } from './bus.ts';
import type { Config } from './config.ts';
import type { Driver } from './driver.ts';
import { HostError } from './errors.ts';
import { readUnitJournal } from './journal.ts';
import { isShuttingDown } from './logind.ts';
import { type Follower, followFile } from './output.ts';
import { noStatus } from './result.ts';
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
const FOLLOW_MS = 500;
const RECONNECT_MS = 1_000;
/** Calls in a row to a bus that is gone; the host's is back in moments, or the host is not well. */
const RECONNECT_LIMIT = 120;

/**
 * Upgrades the host by its own means, as a unit of its systemd: upgrade.output for each line, then
 * upgrade.finished or upgrade.failed. `run` marks the unit as this run's: it is started once, also
 * where the bus or this process is gone in between. With `resumed` an upgrade that still runs is
 * adopted whoever started it. The output of an adopted one is given from its beginning.
 * Unsubscribing leaves the unit alone.
 */
export function upgrade(
  options: UpgradeOptions,
  run: string,
  resumed: boolean,
): Observable<RunEvent> {
  return new Observable((subscriber) => {
    const stop = new AbortController();
    const progress = showProgress(options, subscriber);
    let isTold = false;
    const tell = (event: RunEvent) => {
      progress.end();
      // Whoever listens may unsubscribe at once.
      isTold = true;
      subscriber.next(event);
    };
    const work = async (bus: Bus) => {
      const event = await perform(bus, options, run, resumed, progress.begin);
      if (stop.signal.aborted) return;
      tell(event);
      // Its end is told: the name is free for the next, and for other programs of that unit's name.
      await clearUnit(bus, UNIT).catch((error: Error) => options.warn(`${UNIT}: ${error.message}`));
    };
    withBus(options, stop.signal, work)
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

/** Does the work on a bus, and again on a new one as often as it is lost. Throws HostError. */
async function withBus(
  { connect, reconnectMs = RECONNECT_MS }: UpgradeOptions,
  signal: AbortSignal,
  work: (bus: Bus) => Promise<void>,
): Promise<void> {
  for (let left = RECONNECT_LIMIT; ; left -= 1) {
    try {
      const bus = await connect();
      const close = () => bus.close();
      signal.addEventListener('abort', close);
      try {
        if (!signal.aborted) await work(bus);
        return;
      } finally {
        signal.removeEventListener('abort', close);
        close();
      }
    } catch (error) {
      const isGone =
        error instanceof BusLost || (error instanceof BusError && error.name === 'NoBus');
      if (!isGone || left <= 1 || signal.aborted) throw error;
    }
    await pause(reconnectMs, null, { signal });
  }
}

/** Somebody else's shutdown is under way: nothing of the upgrade has failed. */
class HostShutdown extends HostError {}

async function perform(
  bus: Bus,
  options: UpgradeOptions,
  run: string,
  resumed: boolean,
  begin: () => void,
): Promise<RunEvent> {
  const { driver, mount, bootMs, journalPaths } = options;
  const before = await unitState(bus, UNIT);
  const step = nextStep(before, run, resumed);
  if (step === 'refuse') {
    throw new Error(`${UNIT} is already running on the host, started by somebody else`);
  }
  if (step === 'start') {
    if (await isShuttingDown(bus)) throw new HostShutdown('waiting for programs that delay it');
    await start(bus, options, run);
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
export function nextStep(
  unit: UnitState | null,
  run: string,
  resumed: boolean,
): 'start' | 'adopt' | 'refuse' {
  // Its own, at work or ended: never a second one.
  if (unit?.environment.includes(`HOST_UPGRADES_RUN=${run}`)) return 'adopt';
  if (unit === null || !isAtWork(unit)) return 'start';
  const isUpgrade = unit.environment.some((variable) => variable.startsWith('HOST_PATH='));
  return resumed && isUpgrade ? 'adopt' : 'refuse';
}

async function start(bus: Bus, options: UpgradeOptions, run: string): Promise<void> {
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
      BUSY_LIMIT_S: `${busyLimitS}`,
      BUSY_PAUSE_S: `${busyPauseS}`,
      ...driver.environment(mount, config),
    },
  });
}

interface Progress {
  begin(): void;
  /** Gives the rest. */
  end(): void;
  stop(): void;
}

/** The output as it is written, as events. */
function showProgress(
  { driver, mount, followMs = FOLLOW_MS }: UpgradeOptions,
  subscriber: Subscriber<RunEvent>,
): Progress {
  let files: Follower[] | null = null;
  let timer: NodeJS.Timeout | undefined;
  const give = (atEnd: boolean) => {
    for (const file of files ?? []) {
      for (const text of file.read(atEnd)) subscriber.next({ type: 'upgrade.output', text });
    }
  };
  const stop = () => clearInterval(timer);
  return {
    stop,
    begin() {
      if (files !== null) return;
      files = driver.progress.map((name) => followFile(join(mount, name)));
      timer = setInterval(() => give(false), followMs);
    },
    end() {
      stop();
      give(true);
    },
  };
}

function failed(error: unknown, bootMs: number): RunEvent {
  const message = error instanceof Error ? error.message : String(error);
  const isRefused = error instanceof BusError && error.name.endsWith('.TransactionIsDestructive');
  const isShutdown = isRefused || error instanceof HostShutdown;
  const what = isShutdown ? 'the host is shutting down' : 'Failed to run host upgrades';
  return { type: 'upgrade.failed', status: noStatus(bootMs), message: `${what}: ${message}` };
}
