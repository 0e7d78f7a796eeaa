import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Bus } from './bus.ts';
import { HostError } from './errors.ts';
import { removeShared } from './mount.ts';
import { type OsRelease, parseOsRelease } from './os-release.ts';
import { clearUnit, startUnit, unitEnded } from './systemd.ts';
import { endInWords } from './verdict.ts';

const UNIT = 'host-upgrades-probe.service';
const FILE = 'os-release';
/** The first of the two is where the host's administrator has it. */
const SCRIPT = `cd "$HOST_PATH" && { cat /etc/os-release || cat /usr/lib/os-release || :; } >${FILE}`;

/**
 * The host's os-release. The bus tells no more of it than the pretty name, so that the host puts a
 * copy into the host mount: that shows at the start, too, whether it runs units of ours, and
 * whether the mount is the same directory on both sides. Throws HostError.
 */
export async function readOsRelease(bus: Bus, mount: string): Promise<OsRelease> {
  removeShared(mount, FILE);
  try {
    await startUnit(bus, {
      name: UNIT,
      description: 'What the host of host-upgrades is',
      command: ['/bin/sh', '-c', SCRIPT],
      environment: { HOST_PATH: mount },
    });
  } catch (error) {
    const { message } = error as Error;
    throw new HostError(`the host's systemd starts no unit: ${message}`, { cause: error });
  }
  const end = await unitEnded(bus, UNIT);
  await clearUnit(bus, UNIT);
  const path = join(mount, FILE);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    const how = end === null ? null : endInWords(end);
    const ended = how === null ? '' : ` (${UNIT}: ${how})`;
    throw new HostError(
      `--host-mount=${mount}: what the host writes there is not seen here${ended}; mount the host's directory of that very path`,
    );
  }
  const text = readFileSync(path, 'utf8');
  removeShared(mount, FILE);
  return parseOsRelease(text);
}
