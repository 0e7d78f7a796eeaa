import { type Boot, readBoot } from './boot.ts';
import type { Bus } from './bus.ts';
import { HOSTNAME1, property } from './property.ts';

export interface HostInfo extends Boot {
  /** `Debian GNU/Linux 12 (bookworm)`. */
  operatingSystem: string;
  kernel: string;
}

/** Asks the host who it is. Throws BusError. */
export async function probeHost(bus: Bus): Promise<HostInfo> {
  return {
    operatingSystem: await property<string>(bus, HOSTNAME1, 'OperatingSystemPrettyName'),
    kernel: await property<string>(bus, HOSTNAME1, 'KernelRelease'),
    ...(await readBoot(bus)),
  };
}

/** The lines of a start that tell of the host. */
export function probeLines({ operatingSystem }: HostInfo): string[] {
  return [`Probed host: ${operatingSystem}`];
}
