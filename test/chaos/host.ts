import type { HostStatus, RunEvent } from '../../machines/events.ts';
import type { HostInfo } from '../../src/host/probe.ts';
import type { Random } from '../../src/rehearsal/random.ts';
import type { Question, Reply } from './host-words.ts';

/** What becomes known of a host, in the order of the record. */
export type HostChange = 'upgrade begins' | 'upgrade ends' | 'goes down' | 'loses power' | 'is up';

/** A machine with its own life: its upgrade goes on whatever becomes of the agent. */
export interface Host {
  isUp(): boolean;
  answer(question: Question, reply: (reply: Reply) => void): void;
  /** Everything on it ends at once; it boots `downMs` later. */
  losePower(downMs: number): void;
  close(): void;
}

export interface HostPorts {
  random: Random;
  /** Writes it into the record; what follows from it waits for that. */
  mark(change: HostChange): Promise<void>;
  /** The machine shuts down: its processes are told to end, and killed when it is down. */
  onShutdown(): void;
  onDown(): void;
  onUp(): void;
  /** Upgrades and reboots succeed from now on. */
  isHealed(): boolean;
  onError(error: unknown): void;
}

interface Unit {
  run: string;
  isActive: boolean;
  end: RunEvent | null;
  listeners: ((event: RunEvent) => void)[];
}

/** From the request to the end of all processes. */
const SHUTDOWN_MS = 300;
const UPGRADE_MS = [300, 2_500] as const;
const BOOT_MS = [1_000, 4_000] as const;
/** Shares of upgrades and reboots, of 1. */
const FAILS = 0.1;
const WANTS_REBOOT = 0.4;
const IS_REFUSED = 0.06;
const IS_STUCK = 0.04;

export function createHost(name: string, ports: HostPorts): Host {
  const { random, mark, onError } = ports;
  let boots = 1;
  let bootMs = Date.now() - 86_400_000;
  let isUp = true;
  let isClosed = false;
  let wanted = '';
  let unit: Unit | null = null;

  const info = (): HostInfo => ({
    bootId: `${name}-boot-${boots}`,
    bootMs,
    operatingSystem: 'A simulated host',
    kernel: `6.1.${boots}`,
  });
  const status = (): HostStatus => ({
    rebootRequired: wanted !== '',
    detail: wanted === '' ? '' : 'reboot required',
    rebootMessage: wanted,
    output: '',
    changed: true,
    bootMs,
  });
  const isFailing = (share: number) => random.next() < share && !ports.isHealed();
  const later = (delayMs: number, what: () => Promise<void> | void) => {
    setTimeout(() => {
      if (isClosed) return;
      Promise.resolve().then(what).catch(onError);
    }, delayMs);
  };

  const upgrade = (run: string) => {
    const started: Unit = { run, isActive: true, end: null, listeners: [] };
    unit = started;
    const hasFailed = isFailing(FAILS);
    const message = `linux-image of ${new Date().toISOString()}`;
    const isWanted = random.next() < WANTS_REBOOT;
    const tookMs = random.between(...UPGRADE_MS);
    const end = async () => {
      if (unit !== started || !started.isActive) return;
      if (!hasFailed && isWanted) wanted = message;
      await mark('upgrade ends');
      if (unit !== started) return;
      started.isActive = false;
      started.end = hasFailed
        ? { type: 'upgrade.failed', status: status(), message: 'exit status 100' }
        : { type: 'upgrade.finished', status: status() };
      for (const listener of started.listeners) listener(started.end);
    };
    mark('upgrade begins').then(() => later(tookMs, end), onError);
    return started;
  };
  const boot = async () => {
    boots += 1;
    bootMs = Date.now();
    wanted = '';
    unit = null;
    await mark('is up');
    isUp = true;
    ports.onUp();
  };
  const reboot = (tell: (event: RunEvent) => void) => {
    if (isFailing(IS_REFUSED)) {
      return tell({ type: 'reboot.refused', message: 'Failed to reboot host: Access denied' });
    }
    tell({ type: 'reboot.requested' });
    if (isFailing(IS_STUCK)) return;
    const downMs = random.between(...BOOT_MS);
    const goDown = async () => {
      if (!isUp) return;
      isUp = false;
      await mark('goes down');
      ports.onShutdown();
      later(SHUTDOWN_MS, ports.onDown);
      later(SHUTDOWN_MS + downMs, boot);
    };
    goDown().catch(onError);
  };

  return {
    isUp: () => isUp,
    answer(question, reply) {
      const { id } = question;
      const tellLast = (event: RunEvent) => reply({ id, event, isLast: true });
      if (question.ask === 'info') reply({ id, info: info(), isLast: true });
      if (question.ask === 'isUpgrading') {
        reply({ id, isUpgrading: unit?.isActive === true, isLast: true });
      }
      if (!isUp) return;
      if (question.ask === 'reboot') reboot(tellLast);
      if (question.ask !== 'upgrade') return;
      const { run, resumed } = question;
      const isOwn = unit !== null && (unit.isActive || (resumed && unit.run === run));
      const attached = isOwn && unit ? unit : upgrade(run);
      if (attached.end) tellLast(attached.end);
      else attached.listeners.push(tellLast);
    },
    losePower(downMs) {
      if (!isUp) return;
      isUp = false;
      unit = null;
      ports.onDown();
      mark('loses power').then(() => later(downMs, boot), onError);
    },
    close() {
      isClosed = true;
    },
  };
}
