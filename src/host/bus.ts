import type { EventEmitter } from 'node:events';
import {
  DBusError,
  Message,
  type MessageBus,
  MessageType,
  sessionBus,
} from '@jellybrick/dbus-next';

/** The host's system bus cannot be reached, or refused a call. `name` is D-Bus's error name. */
export class BusError extends Error {
  override readonly name: string;
  constructor(name: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = name;
  }
}

export interface Call {
  destination: string;
  path: string;
  interface: string;
  member: string;
  signature?: string;
  body?: unknown[];
}

export interface Signal {
  path: string;
  member: string;
  body: unknown[];
}

export interface Bus {
  /** The reply's values. Throws BusError. */
  call(call: Call): Promise<unknown[]>;
  /** Signals of the sender the bus matches to us; returns how to stop listening. */
  onSignal(listener: (signal: Signal) => void): () => void;
  /** Resolves with the reason when the connection is gone. */
  lost: Promise<Error>;
  close(): void;
}

/** The system bus of the host, as the DaemonSet mounts it. */
export const SYSTEM_BUS = 'unix:path=/var/run/dbus/system_bus_socket';

/** Connects to a bus by its address; the host's may be under a mount. Throws BusError. */
export async function connectBus(address: string): Promise<Bus> {
  // The library's systemBus() takes no address; with one, sessionBus() is the same thing.
  const bus = sessionBus({ busAddress: address });
  // Its types do not know that it emits errors.
  const emitter = bus as unknown as EventEmitter;
  const lost = new Promise<Error>((resolve) => {
    // Not once: a later error without a listener would end the process.
    emitter.on('error', resolve);
  });
  await connected(bus, lost, address);
  return {
    lost,
    close: () => bus.disconnect(),
    async call(call) {
      try {
        const reply = await Promise.race([bus.call(new Message({ ...call })), rejected(lost)]);
        return reply?.body ?? [];
      } catch (error) {
        throw busError(error);
      }
    },
    onSignal(listener) {
      const filtered = (message: Message) => {
        const { type, path = '', member = '', body } = message;
        if (type === MessageType.SIGNAL) listener({ path, member, body });
      };
      bus.on('message', filtered);
      return () => bus.off('message', filtered);
    },
  };
}

function connected(bus: MessageBus, lost: Promise<Error>, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    bus.once('connect', () => resolve());
    void lost.then((error) => {
      const what = `no system bus at ${address}: ${error.message}`;
      reject(new BusError('NoBus', `${what}; mount the host's /var/run/dbus`, error));
    });
  });
}

async function rejected(lost: Promise<Error>): Promise<never> {
  throw new BusError('Disconnected', `the system bus is gone: ${(await lost).message}`);
}

function busError(error: unknown): BusError {
  if (error instanceof BusError) return error;
  if (error instanceof DBusError) return new BusError(error.type, error.text, error);
  const message = error instanceof Error ? error.message : String(error);
  return new BusError('Failed', message, error);
}
