import type { Config } from './config.ts';
import { debian } from './debian.ts';
import { HostError } from './errors.ts';
import type { UnitEnd, Verdict } from './result.ts';

/** How one family of distributions is upgraded. */
export interface Driver {
  /** Matches what a host of the family calls itself. */
  systems: RegExp;
  /** The same, for people. */
  names: string;
  /** Writes what the host needs for its next run into the host mount. */
  prepare(mount: string, config: Config | null): void;
  /** Removes what earlier runs left there. */
  clean(mount: string): void;
  command(mount: string): string[];
  environment(mount: string, config: Config | null): Record<string, string>;
  /** The files of the mount that show the progress, in the order in which they are written. */
  progress: string[];
  /** What a run's end means; `journal` is the unit's lines, where they matter. */
  judge(mount: string, unit: UnitEnd, journal: string, bootMs: number): Verdict;
}

const DRIVERS: Driver[] = [debian];

/** Throws HostError for a host that nobody here knows how to upgrade. */
export function chooseDriver(operatingSystem: string): Driver {
  const driver = DRIVERS.find(({ systems }) => systems.test(operatingSystem));
  if (driver !== undefined) return driver;
  const names = DRIVERS.map((known) => known.names).join(', ');
  throw new HostError(`cannot upgrade a host of ${operatingSystem}: supported are ${names}`);
}
