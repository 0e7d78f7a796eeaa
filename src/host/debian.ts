import { join } from 'node:path';
import { Observable, type Subscriber } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import { type Bus, BusError } from './bus.ts';
import { readUnitJournal } from './journal.ts';
import { readOutputs, writeShared } from './mount.ts';
import { followFile } from './output.ts';
import { judge } from './result.ts';
import { aptConfig, DEBIAN_SCRIPT, FILES } from './script.ts';
import { startUnit, unitEnded, unitState } from './systemd.ts';

export const UNIT = 'host-upgrades.service';

export interface DebianOptions {
  bus: Bus;
  /** The host mount, under the same path here and on the host. */
  mount: string;
  /** The mounted configuration's files, or null. */
  config: Map<string, string> | null;
  bootMs: number;
  /** How long another apt or dpkg may hold the lock, and how long to pause in between, s. */
  busyLimitS?: number;
  busyPauseS?: number;
  /** How often the output is looked at, ms. */
  followMs?: number;
  /** The host's journal directory, for the unit's lines when it fails. */
  journalPath: string;
}

const BUSY_LIMIT_S = 600;
const BUSY_PAUSE_S = 5;
const FOLLOW_MS = 500;

/** Writes what the host needs for an upgrade into the host mount. */
export function prepare({ mount, config }: DebianOptions): void {
  writeShared(mount, FILES.script, DEBIAN_SCRIPT, 0o755);
  const own = config?.get(FILES.config);
  if (own === undefined) return;
  writeShared(mount, FILES.config, own);
  writeShared(mount, FILES.aptConfig, aptConfig(join(mount, FILES.config)));
}

/** Whether an upgrade of an earlier process is still at work on the host. */
export async function isUpgrading(bus: Bus): Promise<boolean> {
  return (await unitState(bus, UNIT))?.activeState === 'activating';
}

/**
 * Upgrades the host by its own means, as a unit of its systemd: upgrade.output for each line, then
 * upgrade.finished or upgrade.failed. `run` marks the unit as this run's. With `resumed` a unit
 * that still runs, or has ended since, is adopted. Unsubscribing leaves the unit alone.
 */
export function upgrade(
  options: DebianOptions,
  run: string,
  resumed: boolean,
): Observable<RunEvent> {
  return new Observable((subscriber) => {
    const follower = follow(options, subscriber);
    perform(options, run, resumed)
      .then((event) => {
        follower.end();
        subscriber.next(event);
      })
      .catch((error: unknown) => {
        follower.end();
        subscriber.next(failed(error));
      })
      .finally(() => subscriber.complete());
    return () => follower.stop();
  });
}

async function perform(options: DebianOptions, run: string, resumed: boolean): Promise<RunEvent> {
  const { bus, mount, bootMs, journalPath } = options;
  const before = await unitState(bus, UNIT);
  const isOurs = before?.environment.includes(`HOST_UPGRADES_RUN=${run}`) === true;
  const isAtWork = before?.activeState === 'activating';
  if (isAtWork && !resumed && !isOurs) {
    throw new Error(`${UNIT} is already running on the host, started by somebody else`);
  }
  const isAdopted = (isAtWork && resumed) || isOurs;
  if (!isAdopted) {
    prepare(options);
    await startUnit(bus, {
      name: UNIT,
      description: 'Host upgrades',
      command: ['/bin/sh', '-x', join(mount, FILES.script)],
      environment: environment(options, run),
    });
  }
  const ended = await unitEnded(bus, UNIT);
  const journal = ended.result === 'success' ? '' : await readUnitJournal(journalPath, UNIT);
  const verdict = judge(ended, readOutputs(mount, journal), bootMs);
  return verdict.kind === 'finished'
    ? { type: 'upgrade.finished', status: verdict.status }
    : { type: 'upgrade.failed', status: verdict.status, message: verdict.message };
}

function environment(options: DebianOptions, run: string): Record<string, string> {
  const { mount, config, busyLimitS = BUSY_LIMIT_S, busyPauseS = BUSY_PAUSE_S } = options;
  return {
    HOST_PATH: mount,
    HOST_UPGRADES_RUN: run,
    BUSY_LIMIT_S: `${busyLimitS}`,
    BUSY_PAUSE_S: `${busyPauseS}`,
    ...(config?.has(FILES.config) ? { APT_CONFIG: join(mount, FILES.aptConfig) } : {}),
  };
}

/** The output as it is written, as events; `end` gives the rest. */
function follow(
  { mount, followMs = FOLLOW_MS }: DebianOptions,
  subscriber: Subscriber<RunEvent>,
): { end(): void; stop(): void } {
  const files = [FILES.update, FILES.upgrade].map((name) => followFile(join(mount, name)));
  const give = (atEnd: boolean) => {
    for (const file of files) {
      for (const text of file.read(atEnd)) subscriber.next({ type: 'upgrade.output', text });
    }
  };
  const timer = setInterval(() => give(false), followMs);
  const stop = () => clearInterval(timer);
  return {
    stop,
    end: () => {
      stop();
      give(true);
    },
  };
}

function failed(error: unknown): RunEvent {
  const status = { rebootRequired: false, detail: '' };
  const message = error instanceof Error ? error.message : String(error);
  // Somebody else's shutdown is under way: nothing of the upgrade has failed.
  const isShutdown = error instanceof BusError && error.name.endsWith('TransactionIsDestructive');
  const what = isShutdown ? 'the host is shutting down' : 'Failed to run unattended-upgrades';
  return { type: 'upgrade.failed', status, message: `${what}: ${message}` };
}
