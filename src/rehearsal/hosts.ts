import { type Observable, ReplaySubject } from 'rxjs';
import type { HostStatus, RunEvent } from '../../machines/events.ts';
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
}

export interface HostOptions {
  clock: VirtualClock;
  random: Random;
  /** Why its upgrade fails, or null. */
  failure: string | null;
  onUpgrade(change: 'started' | 'ended'): void;
}

const UPGRADE_MS = [500, 3_000] as const;
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

export function createHost({ clock, random, failure, onUpgrade }: HostOptions): SimulatedHost {
  const upgradeMs = random.between(...UPGRADE_MS);
  const isReboot = random.next() < REBOOT_SHARE;
  const packages = [random.pick(PACKAGES), ...(isReboot ? [KERNEL] : [])];
  const bootMs = clock.nowMs() - random.between(1, 40) * 86_400_000;
  const output = ['Reading package lists...', ...packages.map((name) => `Unpacking ${name} ...`)];
  let unit: ReplaySubject<RunEvent> | null = null;

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
