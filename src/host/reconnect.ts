import { setTimeout as pause } from 'node:timers/promises';
import { type Bus, BusError, BusLost } from './bus.ts';

const RECONNECT_MS = 1_000;
/** How often: the host's bus is back in moments, or the host is not well. */
const CONNECTIONS = 120;

/** Nobody has answered: the bus or who is asked over it starts anew, as systemd does in its own upgrade. */
const UNANSWERED =
  /\.(NoReply|Timeout|TimedOut|ServiceUnknown|NameHasNoOwner|Disconnected|Spawn\.\w+)$/;

/**
 * Does the work on a bus, and again on a new one where it was lost, there is none yet, or nobody
 * answers on it. With `isUnderWay` nothing but an answer ends it: a unit at work must not be given
 * up. Throws BusError.
 */
export async function withBus(
  connect: () => Promise<Bus>,
  signal: AbortSignal,
  work: (bus: Bus) => Promise<void>,
  isUnderWay: () => boolean,
  warn: (message: string) => void,
  reconnectMs = RECONNECT_MS,
): Promise<void> {
  let lastWarning = '';
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
      if (signal.aborted || !(error instanceof BusError)) throw error;
      const isGone =
        error instanceof BusLost || error.name === 'NoBus' || UNANSWERED.test(error.name);
      if (!isUnderWay() && (!isGone || left <= 1)) throw error;
      if (!isGone && error.message !== lastWarning) {
        lastWarning = error.message;
        warn(`the upgrade goes on, but the host does not tell of it: ${error.message}`);
      }
    }
    await pause(reconnectMs, null, { signal });
  }
}
