import type { V1Node, V1NodeCondition } from '@kubernetes/client-node';
import type { KubeClient } from './client.ts';
import { timed } from './conditions.ts';
import { writeConditions } from './node.ts';

/** What the condition HostUpgradesReboot says between an upgrade that asks for a reboot and its end. */
export interface RebootState {
  reason: 'DrainBlocked' | 'DrainFailed' | 'Rebooting' | 'RebootFailed' | 'Rebooted';
  message: string;
  /** When it became so, ms since the epoch; else `nowMs` is. */
  sinceMs?: number;
}

/** The condition at `nowMs` of a node that was last seen as `before`. True: a reboot is required. */
export function rebootCondition(
  state: RebootState,
  before: V1Node,
  nowMs: number,
): V1NodeCondition {
  const status = state.reason === 'Rebooted' ? 'False' : 'True';
  const conditions = before.status?.conditions ?? [];
  return timed({ type: 'HostUpgradesReboot', status, ...state }, conditions, nowMs);
}

/**
 * Writes the conditions that `wanted` gives; `warn` is told where that fails, which must keep
 * nothing else from going on.
 */
export async function tryReport(
  client: KubeClient,
  node: string,
  wanted: () => Promise<V1NodeCondition[]> | V1NodeCondition[],
  signal: AbortSignal,
  warn: (message: string) => void,
): Promise<void> {
  try {
    await writeConditions(client, node, await wanted(), signal);
  } catch (error) {
    // Nobody waits for it any more.
    if (signal.aborted) return;
    warn(`Failed to update node ${node} condition: ${(error as Error).message}`);
  }
}
