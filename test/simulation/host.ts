import { NEVER, type Observable, of, ReplaySubject } from 'rxjs';
import type { Boot, HostStatus, RunEvent } from '../../machines/events.ts';
import type { VirtualClock } from '../../src/rehearsal/clock.ts';
import type { NodePlan } from './plan.ts';

/** A machine with its own life: it goes on with an upgrade whatever becomes of who started it. */
export interface SimulatedHost {
  isUp(): boolean;
  boot(): Pick<Boot, 'bootId' | 'bootMs'>;
  isUpgrading(): boolean;
  /** Attaches to the unit that runs; with `resumed` also to the run's one that has ended. */
  upgrade(run: string, resumed: boolean): Observable<RunEvent>;
  reboot(): Observable<RunEvent>;
  /** Everything on it ends at once; it is up again `afterMs` later. null: never. */
  goDown(afterMs: number | null): void;
}

export interface HostEvents {
  onUpgrade(change: 'started' | 'ended'): void;
  /** All that it was told has been carried out: its processes are told to end. */
  onShutdown(): void;
  onDown(): void;
  onUp(): void;
}

/** From the request to the end of all processes. */
const SHUTDOWN_MS = 300;

export function createHost(
  plan: NodePlan,
  clock: VirtualClock,
  events: HostEvents,
  isHealed: () => boolean,
): SimulatedHost {
  let boots = 1;
  let bootMs = clock.nowMs() - 86_400_000;
  let isUp = true;
  let isDue = plan.isRebootDue;
  let installedMs: number | null = null;
  let hasChanged = true;
  let unit: { run: string; isActive: boolean; events: ReplaySubject<RunEvent> } | null = null;

  const status = (): HostStatus => {
    const rebootRequired = installedMs !== null && plan.isRebootUnknown !== true;
    return {
      rebootRequired,
      ...(plan.isRebootUnknown === true ? { rebootUnknown: 'exit status 2' } : {}),
      detail: rebootRequired ? 'reboot required' : '',
      rebootMessage: rebootRequired ? `linux-image of ${installedMs}` : '',
      output: '',
      changed: hasChanged,
      bootMs,
      ...(installedMs === null ? {} : { sinceMs: installedMs }),
    };
  };
  const start = (run: string) => {
    const started = { run, isActive: true, events: new ReplaySubject<RunEvent>() };
    unit = started;
    events.onUpgrade('started');
    const { outputLines = 0 } = plan;
    for (let line = 1; line <= outputLines; line += 1) {
      clock.setTimeout(
        () => {
          if (started.isActive)
            started.events.next({ type: 'upgrade.output', text: `Line ${line}` });
        },
        (plan.upgradeMs * line) / (outputLines + 1),
      );
    }
    clock.setTimeout(() => {
      if (!started.isActive) return;
      started.isActive = false;
      if (isDue && plan.upgrade === 'ok') {
        installedMs = clock.nowMs();
        isDue = plan.rebootDue === 'again';
        hasChanged = true;
      } else hasChanged = plan.rebootDue === undefined;
      events.onUpgrade('ended');
      started.events.next(
        plan.upgrade === 'ok'
          ? { type: 'upgrade.finished', status: status() }
          : { type: 'upgrade.failed', status: status(), message: 'exit status 100' },
      );
      started.events.complete();
    }, plan.upgradeMs);
    return started;
  };
  const goDown = (afterMs: number | null) => {
    if (!isUp) return;
    isUp = false;
    if (unit?.isActive) events.onUpgrade('ended');
    if (unit) unit.isActive = false;
    unit = null;
    events.onDown();
    if (afterMs === null) return;
    clock.setTimeout(() => {
      boots += 1;
      bootMs = clock.nowMs();
      if (plan.rebootDue !== 'stubborn') installedMs = null;
      isUp = true;
      events.onUp();
    }, afterMs);
  };
  return {
    isUp: () => isUp,
    boot: () => ({ bootId: `boot-${boots}`, bootMs }),
    isUpgrading: () => unit?.isActive === true,
    upgrade(run, resumed) {
      if (!isUp) return NEVER;
      const isOwn = unit !== null && (unit.isActive || (resumed && unit.run === run));
      return (isOwn && unit ? unit : start(run)).events;
    },
    reboot() {
      if (!isUp) return NEVER;
      // What goes wrong does so as long as anything does; only who is dead stays so.
      const failure = isHealed() && plan.rebootFailure !== 'dead' ? null : plan.rebootFailure;
      if (failure === 'refused') {
        return of({ type: 'reboot.refused', message: 'Failed to reboot host: Access denied' });
      }
      if (failure === 'silent') return NEVER;
      if (failure !== 'stuck') {
        clock.setTimeout(() => events.onShutdown(), 1);
        clock.setTimeout(() => goDown(failure === 'dead' ? null : plan.bootMs), SHUTDOWN_MS);
      }
      return of({ type: 'reboot.requested' });
    },
    goDown,
  };
}
