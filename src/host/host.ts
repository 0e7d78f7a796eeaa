import { type Observable, Subject, takeUntil } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import { type Bus, connectBus, SYSTEM_BUS } from './bus.ts';
import type { Commands } from './commands.ts';
import { configLine, readConfig } from './config.ts';
import { chooseDriver } from './driver.ts';
import { checkHostMount } from './mount.ts';
import { readOsRelease } from './os-release-unit.ts';
import { type HostInfo, probeHost, probeLines } from './probe.ts';
import { reboot } from './reboot.ts';
import { isUpgrading, type UpgradeOptions, upgrade } from './upgrade.ts';

/** The machine that this program keeps patched. */
export interface HostPort {
  info: HostInfo;
  /** Whether an upgrade is at work, such as one of an earlier process. Throws HostError. */
  isUpgrading(): Promise<boolean>;
  /** See upgrade() in upgrade.ts. */
  upgrade(run: string, resumed: boolean): Observable<RunEvent>;
  /**
   * Whether a reboot is required, without any upgrade: told as the end of one that has changed
   * nothing, upgrade.finished or upgrade.failed.
   */
  rebootRequired(run: string): Observable<RunEvent>;
  /** See reboot() in reboot.ts. */
  reboot(): Observable<RunEvent>;
  /** Ends what is still watched; an upgrade goes on without. */
  close(): void;
}

export interface HostOptions
  extends Pick<UpgradeOptions, 'busyLimitS' | 'busyPauseS' | 'followMs' | 'reconnectMs'> {
  /** --host-mount: the same path on the host. */
  mount: string;
  /** --config-path. */
  configPath: string;
  /** The host's system bus; DBUS_SYSTEM_BUS_ADDRESS or the usual one where not given. */
  busAddress?: string;
  /** The host's journal, where it is not in one of the usual folders. */
  journalPath?: string;
  /** What the user has the host do in place of what its distribution would. */
  commands?: Commands;
  warn: (message: string) => void;
  /** Gets the lines of a start, in the original's words. */
  log?: (line: string) => void;
}

/** Until the next boot, or for good: the host's journald has chosen. */
const JOURNALS = ['/run/log/journal', '/var/log/journal'];
/** What a bus swallows while it restarts is never answered; during an upgrade it is asked again. */
const RETRIED_LIMIT_MS = 10_000;

/**
 * Looks at the host, which runs a unit that tells of it and changes nothing: what the host needs is
 * written into the host mount by each run.
 * Throws HostError, one line.
 */
export async function openHost(options: HostOptions): Promise<HostPort> {
  const { mount, configPath, commands = {}, log = () => {} } = options;
  const address = options.busAddress ?? (process.env.DBUS_SYSTEM_BUS_ADDRESS || SYSTEM_BUS);
  // A connection for each use: the host's bus may be restarted in between.
  const ask = async <T>(question: (bus: Bus) => Promise<T>): Promise<T> => {
    const bus = await connectBus(address);
    try {
      return await question(bus);
    } finally {
      bus.close();
    }
  };

  // Only to say early what is wrong with it.
  log(configLine(configPath, readConfig(configPath)));
  const info = await ask(probeHost);
  for (const line of probeLines(info)) log(line);
  checkHostMount(mount);
  const os = await ask((bus) => readOsRelease(bus, mount));
  const driver = chooseDriver(os, commands);
  const upgrading: UpgradeOptions = {
    ...options,
    connect: () => connectBus(address, RETRIED_LIMIT_MS),
    driver,
    readConfig: () => readConfig(configPath),
    bootMs: info.bootMs,
    journalPaths: options.journalPath === undefined ? JOURNALS : [options.journalPath],
  };
  const closed = new Subject<void>();
  const untilClosed = (events: Observable<RunEvent>) => events.pipe(takeUntil(closed));
  return {
    info,
    isUpgrading: () => ask(isUpgrading),
    upgrade: (run, resumed) => untilClosed(upgrade(upgrading, run, { resumed })),
    rebootRequired: (run) => untilClosed(upgrade(upgrading, run, { isCheckOnly: true })),
    reboot: () =>
      untilClosed(
        reboot({
          reconnectMs: options.reconnectMs,
          connect: () => connectBus(address),
          command: commands.reboot ?? '',
          journalPaths: upgrading.journalPaths,
        }),
      ),
    close: () => closed.next(),
  };
}
