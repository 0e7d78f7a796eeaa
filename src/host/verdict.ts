import { constants } from 'node:os';
import type { HostStatus } from '../../machines/events.ts';
import type { UnitState } from './systemd.ts';

/** What the end of an upgrade means. */
export type Verdict =
  | { kind: 'finished'; status: HostStatus }
  | { kind: 'failed'; status: HostStatus; message: string };

/** How the unit ended; null where somebody unloaded it before that was read. */
export type UnitEnd = Pick<UnitState, 'result' | 'exitStatus'> | null;

/** The same by the exit status that the script noted, or null where it was killed. */
export function notedEnd(noted: string): UnitEnd {
  const code = noted.trim();
  if (code === '') return null;
  return { result: code === '0' ? 'success' : 'exit-code', exitStatus: Number(code) };
}

/** The unit's end in words, or null for a good one. */
export function endInWords(unit: UnitEnd): string | null {
  if (unit === null) return 'its unit was removed from the host and left no result';
  const { result, exitStatus } = unit;
  if (result === 'success') return null;
  if (result === 'exit-code') return `exit status ${exitStatus}`;
  const isSignal = result === 'signal' || result === 'core-dump';
  return isSignal ? `killed by ${signalName(exitStatus)}` : result;
}

export function signalName(signal: number): string {
  const known = Object.entries(constants.signals).find(([, number]) => number === signal);
  return known?.[0] ?? `signal ${signal}`;
}

export const BUSY = 'package manager busy: another one held its lock all the time';
/** A script writes into the host mount before anything else: nothing there, and it never ran. */
export const NEVER_RAN = 'is --host-mount the same directory on the host?';
