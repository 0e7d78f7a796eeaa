import type { Variant } from '@jellybrick/dbus-next';
import { type Bus, BusError } from './bus.ts';

/** An object of the host's bus. `name` is for people. */
export interface BusObject {
  name: string;
  destination: string;
  path: string;
  interface: string;
}

export const HOSTNAME1: BusObject = {
  name: 'hostname1',
  destination: 'org.freedesktop.hostname1',
  path: '/org/freedesktop/hostname1',
  interface: 'org.freedesktop.hostname1',
};
export const SYSTEMD1: BusObject = {
  name: 'systemd',
  destination: 'org.freedesktop.systemd1',
  path: '/org/freedesktop/systemd1',
  interface: 'org.freedesktop.systemd1.Manager',
};

/** One property of an object. Throws BusError. */
export async function property<T>(bus: Bus, of: BusObject, name: string): Promise<T> {
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
