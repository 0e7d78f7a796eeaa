import type { Variant } from '@jellybrick/dbus-next';
import { type Bus, BusError, BusLost } from './bus.ts';

const LOGIN1 = {
  destination: 'org.freedesktop.login1',
  path: '/org/freedesktop/login1',
};
const MANAGER = 'org.freedesktop.login1.Manager';

/** Asks for a reboot, without anybody to be asked for a password. Throws BusError. */
export async function requestReboot(bus: Bus): Promise<void> {
  const call = { ...LOGIN1, interface: MANAGER, member: 'Reboot' };
  await bus.call({ ...call, signature: 'b', body: [false] });
}

/**
 * Whether a shutdown or reboot was asked for and waits for somebody to finish: systemd would still
 * start a unit then, and soon kill it. Throws BusLost.
 */
export async function isShuttingDown(bus: Bus): Promise<boolean> {
  try {
    const [value] = await bus.call({
      ...LOGIN1,
      interface: 'org.freedesktop.DBus.Properties',
      member: 'Get',
      signature: 'ss',
      body: [MANAGER, 'PreparingForShutdown'],
    });
    return (value as Variant<boolean>).value;
  } catch (error) {
    // A host without logind has nobody to wait for; systemd itself refuses once it goes down.
    if (error instanceof BusError && !(error instanceof BusLost)) return false;
    throw error;
  }
}
