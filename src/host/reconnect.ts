import { setTimeout as pause } from 'node:timers/promises';
import { type Bus, BusError, BusLost } from './bus.ts';

const RECONNECT_MS = 1_000;
/** How often: the host's bus is back in moments, or the host is not well. */
const CONNECTIONS = 120;

/** Does the work on a bus, and again on a new one where it was lost or none yet. Throws BusError. */
export async function withBus(
  connect: () => Promise<Bus>,
  signal: AbortSignal,
  work: (bus: Bus) => Promise<void>,
  reconnectMs = RECONNECT_MS,
): Promise<void> {
  for (let left = CONNECTIONS; ; left -= 1) {
    try {
      const bus = await connect();
      const close = () => bus.close();
      signal.addEventListener('abort', close);
      try {
        if (!signal.aborted) await work(bus);
        return;
      } finally {
        signal.removeEventListener('abort', close);
        close();
      }
    } catch (error) {
      const isGone =
        error instanceof BusLost || (error instanceof BusError && error.name === 'NoBus');
      if (!isGone || left <= 1 || signal.aborted) throw error;
    }
    await pause(reconnectMs, null, { signal });
  }
}
