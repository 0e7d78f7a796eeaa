import { readFileSync } from 'node:fs';
import type { Bus } from './bus.ts';
import { property, SYSTEMD1 } from './property.ts';

/** Which boot the host is in. */
export interface Boot {
  /** Another one after each reboot, and only then; nothing else may be read from it. */
  bootId: string;
  /** When it began by today's clock, which may have been set since: ms since the epoch. */
  bootMs: number;
}

/**
 * Asks the host which boot it is in. Throws BusError.
 *
 * The kernel's boot_id alone is no proof: in a system container it is the machine's and never
 * changes, and some boards have booted twice with the same one. When the host's own systemd came
 * up, on the kernel's monotonic clock, tells such boots apart: no clock that is set moves it, and
 * systemd hands it on when it is executed anew (daemon-reexec, its own upgrade). Both together are
 * the id. A soft-reboot has a new one, as everything but the kernel is started anew.
 */
export async function readBoot(bus: Bus): Promise<Boot> {
  const upUs = await property<bigint>(bus, SYSTEMD1, 'UserspaceTimestampMonotonic');
  const kernelId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const kernelMs = parseBootMs(readFileSync('/proc/stat', 'utf8'));
  // Moments after the kernel's boot, or long where the host is a container.
  return { bootId: `${kernelId}/${upUs}`, bootMs: kernelMs + Math.floor(Number(upUs) / 1_000) };
}

/** The boot time in /proc/stat, seconds since the epoch, as ms. */
export function parseBootMs(stat: string): number {
  const seconds = /^btime (\d+)$/m.exec(stat)?.[1];
  if (seconds === undefined) throw new Error('/proc/stat tells no boot time (btime)');
  return Number(seconds) * 1_000;
}
