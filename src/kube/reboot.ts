import type { V1Node } from '@kubernetes/client-node';
import type { Observable } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import { BOOT_ID_ANNOTATION, REBOOT_ANNOTATION } from './annotations.ts';
import { attempt } from './attempt.ts';
import type { KubeClient } from './client.ts';
import { isDrained } from './cordon.ts';
import { getNode, patchNode } from './node.ts';
import { type RebootState, rebootCondition, tryReport } from './reboot-condition.ts';

export interface RebootMark {
  node: string;
  /** The boot that the reboot is to end. */
  bootId: string;
  nowMs: number;
  /** Why: the condition's message. */
  detail: string;
}

/** How a marked reboot has ended. `bootMs`: when the new boot began. */
export type RebootOutcome =
  | { kind: 'rebooted'; bootMs: number }
  | { kind: 'failed'; message: string };

/**
 * Says on the Node that its host is about to reboot, before it does. reboot.marked or api.failed,
 * once. `warn` is told where only the condition could not be written: a reboot needs the mark, by
 * which it is recognized afterwards, and not the condition.
 */
export function markReboot(
  client: KubeClient,
  { node, bootId, nowMs, detail }: RebootMark,
  warn: (message: string) => void,
): Observable<RunEvent> {
  return attempt('', async (signal) => {
    const at = new Date(nowMs).toISOString();
    const annotations = { [REBOOT_ANNOTATION]: JSON.stringify(at), [BOOT_ID_ANNOTATION]: bootId };
    const marked = await patchNode(client, node, { metadata: { annotations } }, signal);
    const state: RebootState = { reason: 'Rebooting', message: detail };
    await tryReport(client, node, () => [rebootCondition(state, marked, nowMs)], signal, warn);
    return { type: 'reboot.marked', at, atMs: nowMs };
  });
}

/**
 * Takes the mark away and says what became of the reboot. reboot.cleared or api.failed, once;
 * without a mark there is nothing to take away. The condition comes first, so that a mark that is
 * still there leads to the condition once more; `warn` is told where it could not be written.
 */
export function clearReboot(
  client: KubeClient,
  name: string,
  outcome: RebootOutcome,
  nowMs: number,
  warn: (message: string) => void,
): Observable<RunEvent> {
  return attempt('', async (signal) => {
    const node = await getNode(client, name, signal);
    await tryReport(
      client,
      name,
      () => [rebootCondition(stateOf(outcome), node, nowMs)],
      signal,
      warn,
    );
    const annotations = { [REBOOT_ANNOTATION]: null, [BOOT_ID_ANNOTATION]: null };
    await patchNode(client, name, { metadata: { annotations } }, signal);
    return { type: 'reboot.cleared' };
  });
}

function stateOf(outcome: RebootOutcome): RebootState {
  return outcome.kind === 'rebooted'
    ? { reason: 'Rebooted', message: '', sinceMs: outcome.bootMs }
    : { reason: 'RebootFailed', message: outcome.message };
}

/** What an earlier run has left on its Node. */
export interface NodeLeftover {
  isCordoned: boolean;
  reboot: { at: string; atMs: number; bootId: string } | null;
}

/** Reads it from the annotations. */
export function readLeftover(node: V1Node): NodeLeftover {
  const annotations = node.metadata?.annotations ?? {};
  const marked = annotations[REBOOT_ANNOTATION];
  const bootId = annotations[BOOT_ID_ANNOTATION] ?? '';
  return {
    isCordoned: isDrained(node),
    reboot: marked === undefined ? null : { ...timeOf(marked), bootId },
  };
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** A mark that says no time is one of long ago: any boot is after it. */
function timeOf(marked: string): { at: string; atMs: number } {
  const at = parsed(marked);
  const atMs = typeof at === 'string' && RFC_3339.test(at) ? Date.parse(at) : Number.NaN;
  return Number.isNaN(atMs) ? { at: marked, atMs: 0 } : { at: String(at), atMs };
}

function parsed(marked: string): unknown {
  try {
    return JSON.parse(marked);
  } catch {
    // Somebody has edited it.
    return null;
  }
}
