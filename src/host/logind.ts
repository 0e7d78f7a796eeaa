import type { Variant } from '@jellybrick/dbus-next';
import { type Bus, BusError, BusLost } from './bus.ts';

/**
 * Whether a shutdown or reboot was asked for and waits for somebody to finish: systemd would still
 * start a unit then, and soon kill it. Throws BusLost.
 */
export async function isShuttingDown(bus: Bus): Promise<boolean> {
  try {
    const [value] = await bus.call({
      destination: 'org.freedesktop.login1',
      path: '/org/freedesktop/login1',
      interface: 'org.freedesktop.DBus.Properties',
      member: 'Get',
      signature: 'ss',
      body: ['org.freedesktop.login1.Manager', 'PreparingForShutdown'],
    });
    return (value as Variant<boolean>).value;
  } catch (error) {
    // A host without logind has nobody to wait for; systemd itself refuses once it goes down.
    if (error instanceof BusError && !(error instanceof BusLost)) return false;
    throw error;
  }
}
