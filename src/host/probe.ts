import { readFileSync } from 'node:fs';
import type { Variant } from '@jellybrick/dbus-next';
import { type Bus, BusError } from './bus.ts';

export interface HostInfo {
  /** `Debian GNU/Linux 12 (bookworm)`. */
  operatingSystem: string;
  kernel: string;
  /** When the machine booted, ms since the epoch. */
  bootMs: number;
}

/** Asks the host who it is. Throws BusError. */
export async function probeHost(bus: Bus): Promise<HostInfo> {
  return {
    operatingSystem: await hostname1(bus, 'OperatingSystemPrettyName'),
    kernel: await hostname1(bus, 'KernelRelease'),
    bootMs: parseBootMs(readFileSync('/proc/stat', 'utf8')),
  };
}

async function hostname1(bus: Bus, name: string): Promise<string> {
  try {
    const [value] = await bus.call({
      destination: 'org.freedesktop.hostname1',
      path: '/org/freedesktop/hostname1',
      interface: 'org.freedesktop.DBus.Properties',
      member: 'Get',
      signature: 'ss',
      body: ['org.freedesktop.hostname1', name],
    });
    return (value as Variant<string>).value;
  } catch (error) {
    const { message } = error as Error;
    throw new BusError('NoHostname', `the host's hostname1 does not answer: ${message}`, error);
  }
}

/** The boot time in /proc/stat, seconds since the epoch, as ms. */
export function parseBootMs(stat: string): number {
  const seconds = /^btime (\d+)$/m.exec(stat)?.[1];
  if (seconds === undefined) throw new Error('/proc/stat tells no boot time (btime)');
  return Number(seconds) * 1_000;
}
