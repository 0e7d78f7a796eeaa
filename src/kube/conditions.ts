import type { V1NodeCondition } from '@kubernetes/client-node';
import type { HostStatus } from '../../machines/events.ts';

/** A node's message is read by people and kept by etcd: the end of an output is enough. */
export const MESSAGE_MAX_CHARS = 4_096;

/**
 * The node conditions after an upgrade. `before` are the node's conditions: lastTransitionTime
 * stays theirs unless the status changes. `drainError`: why a required reboot has to wait. Times are ms since the epoch.
 */
export function upgradeConditions(
  status: HostStatus,
  error: string | null,
  before: V1NodeCondition[],
  nowMs: number,
  drainError?: string,
): V1NodeCondition[] {
  return [upgrades(status, error), reboot(status, error, drainError)].map((condition) =>
    timed(condition, before, nowMs),
  );
}

export interface Wanted {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  /** When it became so, where the host knows better than the clock of this report. */
  sinceMs?: number;
}

function upgrades({ rebootRequired, output = '' }: HostStatus, error: string | null): Wanted {
  const type = 'HostUpgrades';
  if (error !== null) return { type, status: 'Unknown', reason: 'UpgradeFailed', message: error };
  return rebootRequired
    ? { type, status: 'False', reason: 'RebootRequired', message: output }
    : { type, status: 'True', reason: 'UpToDate', message: output };
}

function reboot(status: HostStatus, error: string | null, drainError?: string): Wanted {
  const type = 'HostUpgradesReboot';
  const { rebootUnknown } = status;
  if (status.rebootRequired && drainError !== undefined) {
    return { type, status: 'True', reason: 'DrainFailed', message: drainError };
  }
  if (error === null && rebootUnknown !== undefined) {
    return { type, status: 'Unknown', reason: 'RebootCheckFailed', message: rebootUnknown };
  }
  if (status.rebootRequired) {
    const message = status.rebootMessage ?? '';
    return { type, status: 'True', reason: 'RebootRequired', message, ...since(status.sinceMs) };
  }
  // A failed upgrade may have left anything behind: no reboot is asked for, and none ruled out.
  if (error !== null) return { type, status: 'Unknown', reason: 'UpgradeFailed', message: error };
  return { type, status: 'False', reason: 'UpToDate', message: '', ...since(status.bootMs) };
}

function since(sinceMs: number | undefined): { sinceMs?: number } {
  return sinceMs === undefined ? {} : { sinceMs };
}

/** `wanted` as the node has it from `nowMs` on, with the condition of its type `before` it. */
export function timed(wanted: Wanted, before: V1NodeCondition[], nowMs: number): V1NodeCondition {
  const { sinceMs, message, ...rest } = wanted;
  const old = before.find(({ type }) => type === wanted.type);
  const changedMs = sinceMs ?? nowMs;
  const isSame = old?.status === wanted.status && old.lastTransitionTime !== undefined;
  return {
    ...rest,
    message: bounded(message),
    lastHeartbeatTime: new Date(nowMs),
    lastTransitionTime: isSame ? new Date(old.lastTransitionTime as Date) : new Date(changedMs),
  };
}

/** The last part of a long text, with a note of how much is left out. */
export function bounded(text: string): string {
  if (text.length <= MESSAGE_MAX_CHARS) return text;
  const note = (left: number) => `[${left} characters left out]\n`;
  const room = MESSAGE_MAX_CHARS - note(text.length).length;
  return `${note(text.length - room)}${text.slice(-room)}`;
}
