import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Observable } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import { type Bus, BusError } from './bus.ts';
import { property, SYSTEMD1 } from './property.ts';

/** Which boot the host is in. */
export interface Boot {
  /** Another one after each reboot, and only then; nothing else may be read from it. */
  bootId: string;
  /** When it began by today's clock, which may have been set since: ms since the epoch. */
  bootMs: number;
}

/**
 * Asks the host which boot it is in. Throws BusError.
 *
 * The kernel's boot_id alone is no proof: in a system container it is the machine's and never
 * changes, and some boards have booted twice with the same one. When the host's own systemd came
 * up, on the kernel's monotonic clock, tells such boots apart: no clock that is set moves it, and
 * systemd hands it on when it is executed anew (daemon-reexec, its own upgrade). Both together are
 * the id. A soft-reboot has a new one, as everything but the kernel is started anew.
 */
export async function readBoot(bus: Bus): Promise<Boot> {
  const upUs = await property<bigint>(bus, SYSTEMD1, 'UserspaceTimestampMonotonic');
  const kernelId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const kernelMs = parseBootMs(readFileSync('/proc/stat', 'utf8'));
  // Moments after the kernel's boot, or long where the host is a container.
  return { bootId: `${kernelId}/${upUs}`, bootMs: kernelMs + Math.floor(Number(upUs) / 1_000) };
}

/** The boot time in /proc/stat, seconds since the epoch, as ms. */
export function parseBootMs(stat: string): number {
  const seconds = /^btime (\d+)$/m.exec(stat)?.[1];
  if (seconds === undefined) throw new Error('/proc/stat tells no boot time (btime)');
  return Number(seconds) * 1_000;
}

/** The bus of a host that goes down or comes up is asked again, ever more rarely. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Tells host.booted once, as soon as the host answers: it is asked again for as long as nobody
 * unsubscribes.
 */
export function watchBoot(
  connect: () => Promise<Bus>,
  firstPauseMs = FIRST_PAUSE_MS,
): Observable<RunEvent> {
  return new Observable((subscriber) => {
    const stop = new AbortController();
    const { signal } = stop;
    const ask = async (): Promise<Boot> => {
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
        try {
          return await askOnce(connect);
        } catch (error) {
          if (!(error instanceof BusError)) throw error;
        }
        await pause(pauseMs, null, { signal });
      }
    };
    ask().then(
      (boot) => {
        subscriber.next({ type: 'host.booted', ...boot, atMs: Date.now() });
        subscriber.complete();
      },
      (error: unknown) => {
        if (!signal.aborted) subscriber.error(error);
      },
    );
    return () => stop.abort();
  });
}

async function askOnce(connect: () => Promise<Bus>): Promise<Boot> {
  const bus = await connect();
  try {
    return await readBoot(bus);
  } finally {
    bus.close();
  }
}
