import type { EventEmitter } from 'node:events';
import {
  DBusError,
  Message,
  type MessageBus,
  MessageType,
  sessionBus,
} from '@jellybrick/dbus-next';
import { HostError } from './errors.ts';

/** The host's system bus cannot be reached, or refused a call. `name` is D-Bus's error name. */
export class BusError extends HostError {
  override readonly name: string;
  constructor(name: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = name;
  }
}

/** The connection went while it was in use: what was asked for may have happened or not. */
export class BusLost extends BusError {}

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
  /** The reply's values. Throws BusError, and BusLost where no reply will come. */
  call(call: Call): Promise<unknown[]>;
  /** Signals that the bus matches to us; returns how to stop listening. */
  onSignal(listener: (signal: Signal) => void): () => void;
  /** Resolves with the reason when the connection is gone, closed by us included. */
  lost: Promise<Error>;
  close(): void;
}

/** The system bus of the host, as the DaemonSet mounts it. */
export const SYSTEM_BUS = 'unix:path=/var/run/dbus/system_bus_socket';

/** A bus that answers nothing for this long is as good as gone. */
const ANSWER_LIMIT_MS = 30_000;

/** Connects to a bus by its address; the host's may be under a mount. Throws BusError. */
export async function connectBus(address: string, limitMs = ANSWER_LIMIT_MS): Promise<Bus> {
  // The library's systemBus() takes no address; with one, sessionBus() is the same thing.
  const bus = sessionBus({ busAddress: address });
  const { promise: lost, resolve: lose } = Promise.withResolvers<Error>();
  // Its types do not know that it emits errors. Not once: a later one without a listener would end
  // the process.
  (bus as unknown as EventEmitter).on('error', lose);
  onClosed(bus, () => lose(new Error('the bus closed the connection')));
  await connected(bus, lost, address, limitMs);
  return {
    lost,
    close() {
      lose(new Error('closed'));
      bus.disconnect();
    },
    async call(call) {
      const message = new Message({ ...call });
      const { promise: gone, reject } = Promise.withResolvers<never>();
      void lost.then((error) => reject(busLost(error.message, error)));
      const what = `no answer to ${call.interface}.${call.member} in ${limitMs / 1_000} s`;
      const limit = setTimeout(() => reject(busLost(what)), limitMs);
      try {
        const reply = await Promise.race([bus.call(message), gone]);
        return reply?.body ?? [];
      } catch (error) {
        throw busError(error);
      } finally {
        clearTimeout(limit);
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

/** The library tells nobody that the bus hung up: calls would wait for ever. */
function onClosed(bus: MessageBus, listener: () => void): void {
  (bus as unknown as { _connection: EventEmitter })._connection.on('end', listener);
}

async function connected(
  bus: MessageBus,
  lost: Promise<Error>,
  address: string,
  limitMs: number,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  bus.once('connect', () => resolve());
  const fail = (error: Error) => {
    const what = `no system bus at ${address}: ${error.message}`;
    reject(new BusError('NoBus', `${what}; mount the host's /var/run/dbus`, error));
  };
  void lost.then(fail);
  const limit = setTimeout(() => {
    fail(new Error(`no answer in ${limitMs / 1_000} s`));
    bus.disconnect();
  }, limitMs);
  try {
    await promise;
  } finally {
    clearTimeout(limit);
  }
}

function busLost(message: string, cause?: unknown): BusLost {
  return new BusLost('Disconnected', `the system bus is gone: ${message}`, cause);
}

function busError(error: unknown): BusError {
  if (error instanceof BusError) return error;
  if (error instanceof DBusError) return new BusError(error.type, error.text, error);
  const message = error instanceof Error ? error.message : String(error);
  return new BusError('Failed', message, error);
}
