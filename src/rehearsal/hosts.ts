import { type Observable, of, ReplaySubject } from 'rxjs';
import type { Boot, HostStatus, RunEvent } from '../../machines/events.ts';
import type { VirtualClock } from './clock.ts';
import type { Random } from './random.ts';

/** A machine whose upgrade takes its time and changes nothing. */
export interface SimulatedHost {
  /** How long its upgrade takes, virtual ms. */
  upgradeMs: number;
  /**
   * upgrade.output for each line, then upgrade.finished or upgrade.failed. As systemd's, the
   * upgrade goes on when nobody listens; with `resumed` it is picked up instead of begun.
   */
  upgrade(resumed: boolean): Observable<RunEvent>;
  /** reboot.requested or reboot.refused, once. */
  reboot(): Observable<RunEvent>;
  boot(): Pick<Boot, 'bootId' | 'bootMs'>;
  isUp(): boolean;
}

/** How a reboot goes wrong: logind refuses it, nothing happens, or the host stays down. */
export type RebootFailure = 'refused' | 'stuck' | 'dead';

export const REFUSAL = 'Failed to reboot host: Access denied';

export interface HostOptions {
  clock: VirtualClock;
  random: Random;
  /** Why its upgrade fails, or null. */
  failure: string | null;
  /** Its packages surely ask for a reboot. */
  isRebootDue: boolean;
  rebootFailure: RebootFailure | null;
  onUpgrade(change: 'started' | 'ended'): void;
  /** Everything on it ends. */
  onDown(isForGood: boolean): void;
  onUp(): void;
}

const UPGRADE_MS = [500, 3_000] as const;
/** From the request to the end of all processes. */
const SHUTDOWN_MS = 200;
const BOOT_MS = [2_000, 6_000] as const;
const REBOOT_SHARE = 0.4;
const PACKAGES = [
  'openssl 3.0.17-1',
  'libc6 2.36-9+deb12u13',
  'curl 7.88.1-10+deb12u14',
  'sudo 1.9.13p3-1+deb12u2',
  'openssh-server 1:9.2p1-2+deb12u7',
  'systemd 252.39-1',
  'libxml2 2.9.14+dfsg-1.3',
  'tzdata 2025b-0+deb12u2',
];
const KERNEL = 'linux-image-amd64 6.1.153-1';

export function createHost(options: HostOptions): SimulatedHost {
  const { clock, random, failure, onUpgrade } = options;
  const upgradeMs = random.between(...UPGRADE_MS);
  const isReboot = random.next() < REBOOT_SHARE || options.isRebootDue;
  const packages = [random.pick(PACKAGES), ...(isReboot ? [KERNEL] : [])];
  let bootMs = clock.nowMs() - random.between(1, 40) * 86_400_000;
  const output = ['Reading package lists...', ...packages.map((name) => `Unpacking ${name} ...`)];
  let unit: ReplaySubject<RunEvent> | null = null;
  let boots = 1;
  let isUp = true;
  const down = () => {
    const isForGood = options.rebootFailure === 'dead';
    isUp = false;
    unit = null;
    options.onDown(isForGood);
    if (!isForGood) clock.setTimeout(up, random.between(...BOOT_MS));
  };
  const up = () => {
    boots += 1;
    bootMs = clock.nowMs();
    isUp = true;
    options.onUp();
  };

  const result = (): RunEvent => {
    const status = statusOf(isReboot, output.join('\n'), clock.nowMs(), bootMs);
    return failure === null
      ? { type: 'upgrade.finished', status }
      : { type: 'upgrade.failed', status, message: failure };
  };
  const start = (): ReplaySubject<RunEvent> => {
    const events = new ReplaySubject<RunEvent>();
    onUpgrade('started');
    for (const [index, text] of output.entries()) {
      const atMs = (upgradeMs * (index + 1)) / (output.length + 1);
      clock.setTimeout(() => events.next({ type: 'upgrade.output', text }), atMs);
    }
    clock.setTimeout(() => {
      onUpgrade('ended');
      events.next(result());
      events.complete();
    }, upgradeMs);
    return events;
  };
  return {
    upgradeMs,
    upgrade(resumed) {
      if (!resumed || unit === null) unit = start();
      return unit;
    },
    reboot() {
      if (options.rebootFailure === 'refused')
        return of({ type: 'reboot.refused', message: REFUSAL });
      if (options.rebootFailure === null || options.rebootFailure === 'dead') {
        clock.setTimeout(down, SHUTDOWN_MS);
      }
      return of({ type: 'reboot.requested' });
    },
    boot: () => ({ bootId: `boot-${boots}`, bootMs }),
    isUp: () => isUp,
  };
}

function statusOf(
  rebootRequired: boolean,
  output: string,
  nowMs: number,
  bootMs: number,
): HostStatus {
  const rebootMessage = rebootRequired ? '*** System restart required ***' : '';
  const since = rebootRequired ? new Date(nowMs).toISOString() : '0001-01-01T00:00:00.000Z';
  const [date, time = ''] = since.split('T');
  return {
    rebootRequired,
    detail: `${date} ${time.slice(0, 8)} +0000 UTC ${rebootMessage} ${output}`,
    rebootMessage,
    output,
    bootMs,
    ...(rebootRequired ? { sinceMs: nowMs } : {}),
  };
}
