import { type Commands, isCustom } from './commands.ts';
import type { Config } from './config.ts';
import { customDriver } from './custom.ts';
import { debian } from './debian.ts';
import { dnfDriver } from './dnf.ts';
import { HostError } from './errors.ts';
import { isLike, type OsRelease } from './os-release.ts';
import type { UnitEnd, Verdict } from './verdict.ts';
import { yumCronDriver } from './yum-cron.ts';
import { zypperDriver } from './zypper.ts';

/** How one family of distributions is upgraded. */
export interface Driver {
  /** Writes what the host needs for its next run into the host mount. Throws HostError. */
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

const SUPPORTED =
  'Debian, Ubuntu, RHEL, Fedora, Amazon Linux, SLES, openSUSE Leap and those like them';

/**
 * By the ID of the host and by what it says it is like, never by its pretty name; the user's
 * commands come first. Throws HostError for a host that nobody here knows how to upgrade.
 */
export function chooseDriver(os: OsRelease, commands: Commands): Driver {
  const security = commands.securityOnly === true;
  if (isCustom(commands)) {
    if (security) throw new HostError('--security: leave it out with commands of your own');
    return customDriver(commands);
  }
  if (isLike(os, 'debian', 'ubuntu')) {
    if (!security) return debian;
    throw new HostError(
      '--security: is not for Debian and Ubuntu; unattended-upgrades.conf says there what is upgraded',
    );
  }
  if (isLike(os, 'rhel', 'centos', 'fedora')) {
    return hasYum(os) ? yumCronDriver(security) : dnfDriver(security);
  }
  if (isLike(os, 'sles', 'suse', 'opensuse')) {
    const command = otherThanPatch(os);
    if (command === null) return zypperDriver(security);
    throw new HostError(
      `cannot upgrade ${os.id}: zypper patch does nothing there; give --upgrade-command='${command}'`,
    );
  }
  const name = os.id === '' ? 'a host without an ID in its os-release' : `a host of ID=${os.id}`;
  throw new HostError(
    `cannot upgrade ${name}: supported are ${SUPPORTED}; for any other give --upgrade-command`,
  );
}

/** Before RHEL 8, and Amazon Linux before 2023 (1, 2 and those named by a month). */
function hasYum({ id, version }: OsRelease): boolean {
  const [major = ''] = version.split('.');
  if (id === 'fedora' || version === '') return false;
  if (id === 'amzn') return version !== '2023' && Number(major) < 2023;
  return Number(major) <= 7;
}

/** Rolling releases have no patches, and on a read-only root zypper cannot install any. */
function otherThanPatch({ id }: OsRelease): string | null {
  if (/micro/.test(id)) return 'transactional-update --non-interactive up';
  return /tumbleweed|slowroll/.test(id) ? 'zypper --non-interactive dup' : null;
}
