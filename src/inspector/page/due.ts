import { disruptionOf } from '../../../machines/setup.ts';
import type { Fold } from './fold-record.ts';

/** When a timer of the machine is due, and in which words it was set. */
export interface Due {
  atMs: number;
  why: string;
}

/** The timer behind an event, at this moment; null where none is set. */
export function dueOf(type: string, fold: Fold): Due | null {
  const { snapshot, deadlineMs, enteredMs } = fold;
  const { context } = snapshot;
  const disruption = disruptionOf(context);
  const since = (id: string, delayMs: number, why: string): Due | null => {
    const sinceMs = enteredMs[id];
    return sinceMs === undefined || Number.isNaN(sinceMs) ? null : { atMs: sinceMs + delayMs, why };
  };
  switch (type) {
    case 'deadline.reached':
      return deadlineMs === null ? null : { atMs: deadlineMs, why: 'the deadline of the run' };
    case 'window.closed':
      return deadlineMs === null || !disruption.hardWindow || context.isWindowClosed
        ? null
        : { atMs: deadlineMs, why: 'the end of the hard window' };
    case 'drain.expired':
      return disruption.drainTimeoutMs === 0
        ? null
        : since('locked.draining', disruption.drainTimeoutMs, 'the drain timeout');
    case 'reboot.expired':
      return disruption.rebootTimeoutMs === 0
        ? null
        : (since('locked.rebooting.requesting', disruption.rebootTimeoutMs, 'the reboot timeout') ??
            since('locked.rebooting.waiting', context.waitMs, 'the reboot timeout'));
    default:
      if (!type.endsWith('.elapsed')) return null;
      return since(
        innermost(enteredMs),
        context.waitMs,
        `a wait of ${Math.round(context.waitMs)} ms`,
      );
  }
}

function innermost(enteredMs: Fold['enteredMs']): string {
  return Object.keys(enteredMs).reduce(
    (one, other) => (other.length > one.length ? other : one),
    '',
  );
}
