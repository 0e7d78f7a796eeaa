import { readFileSync } from 'node:fs';
import type { Variant } from '@jellybrick/dbus-next';
import { type Bus, BusError } from './bus.ts';

export interface HostInfo {
  /** `Debian GNU/Linux 12 (bookworm)`. */
  operatingSystem: string;
  kernel: string;
  /** When the host booted, ms since the epoch. */
  bootMs: number;
}

/** Asks the host who it is. Throws BusError. */
export async function probeHost(bus: Bus): Promise<HostInfo> {
  return {
    operatingSystem: await property<string>(bus, HOSTNAME1, 'OperatingSystemPrettyName'),
    kernel: await property<string>(bus, HOSTNAME1, 'KernelRelease'),
    bootMs: await bootMs(bus),
  };
}

/**
 * By today's clock, which may have been set since: the kernel's boot, and how long after it the
 * host's own system started (moments, or long where the host is a container).
 */
async function bootMs(bus: Bus): Promise<number> {
  const afterUs = await property<bigint>(bus, SYSTEMD1, 'UserspaceTimestampMonotonic');
  return parseBootMs(readFileSync('/proc/stat', 'utf8')) + Math.floor(Number(afterUs) / 1_000);
}

/** The lines of a start that tell of the host. */
export function probeLines({ operatingSystem }: HostInfo): string[] {
  return [`Probed host: ${operatingSystem}`];
}

const HOSTNAME1 = {
  name: 'hostname1',
  destination: 'org.freedesktop.hostname1',
  path: '/org/freedesktop/hostname1',
  interface: 'org.freedesktop.hostname1',
};
const SYSTEMD1 = {
  name: 'systemd',
  destination: 'org.freedesktop.systemd1',
  path: '/org/freedesktop/systemd1',
  interface: 'org.freedesktop.systemd1.Manager',
};

async function property<T>(bus: Bus, of: typeof HOSTNAME1, name: string): Promise<T> {
  try {
    const [value] = await bus.call({
      destination: of.destination,
      path: of.path,
      interface: 'org.freedesktop.DBus.Properties',
      member: 'Get',
      signature: 'ss',
      body: [of.interface, name],
    });
    return (value as Variant<T>).value;
  } catch (error) {
    const { message } = error as Error;
    throw new BusError('NoAnswer', `the host's ${of.name} does not answer: ${message}`, error);
  }
}

/** The boot time in /proc/stat, seconds since the epoch, as ms. */
export function parseBootMs(stat: string): number {
  const seconds = /^btime (\d+)$/m.exec(stat)?.[1];
  if (seconds === undefined) throw new Error('/proc/stat tells no boot time (btime)');
  return Number(seconds) * 1_000;
}
