import { Observable } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import { type Bus, BusError, BusLost } from './bus.ts';
import { requestReboot } from './logind.ts';
import { runRebootCommand } from './reboot-command.ts';
import { withBus } from './reconnect.ts';

export interface RebootOptions {
  connect: () => Promise<Bus>;
  /** --reboot-command, or '' for logind. */
  command: string;
  /** Where the host's journal may be, for what the command said when it failed. */
  journalPaths: string[];
  /** How often a bus that is away is called again, ms. */
  reconnectMs?: number | undefined;
}

/**
 * Tells the host to reboot: reboot.requested, or reboot.refused where it surely will not. Nothing is
 * told about the reboot itself: its proof is the next boot. Unsubscribing takes nothing back.
 */
export function reboot(options: RebootOptions): Observable<RunEvent> {
  return new Observable((subscriber) => {
    const stop = new AbortController();
    const tell = (event: RunEvent) => subscriber.next(event);
    const work = async (bus: Bus) => tell(await request(bus, options));
    withBus(
      options.connect,
      stop.signal,
      work,
      () => false,
      () => {},
      options.reconnectMs,
    )
      .catch((error: Error) => {
        if (!stop.signal.aborted) tell({ type: 'reboot.refused', message: error.message });
      })
      .finally(() => subscriber.complete());
    return () => stop.abort();
  });
}

/** Errors after which the host may reboot or not, or does already. */
const UNKNOWN =
  /\.(NoReply|Timeout|TimedOut|Disconnected|OperationInProgress|TransactionIsDestructive)$/;

/** Throws BusError where the reboot was surely not begun, and asking again may help. */
async function request(bus: Bus, { command, journalPaths }: RebootOptions): Promise<RunEvent> {
  try {
    if (command === '') await requestReboot(bus);
    else await runRebootCommand(bus, command, journalPaths);
  } catch (error) {
    const isUnknown =
      error instanceof BusLost || (error instanceof BusError && UNKNOWN.test(error.name));
    if (!isUnknown) throw error;
  }
  return { type: 'reboot.requested' };
}
