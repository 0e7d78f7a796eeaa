import type { V1Node } from '@kubernetes/client-node';
import type { Disruption, Leftover } from '../../machines/events.ts';
import { verdict } from '../../machines/lock.ts';
import type { RunClock } from '../journal/live.ts';
import { DRAIN_ANNOTATION } from '../kube/annotations.ts';
import type { KubeClient } from '../kube/client.ts';
import { checkCluster } from '../kube/preflight.ts';
import { type NodeLeftover, readLeftover } from '../kube/reboot.ts';
import type { Log } from '../log/log.ts';
import { formatDuration } from '../schedule/duration.ts';
import type { Names } from '../trace/format.ts';
import { pause } from './pause.ts';
import { RecoveryError, recoverLock } from './recovery.ts';
import type { Before } from './runner.ts';
import { aborted } from './service.ts';

const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 60_000;

export interface ClusterPorts {
  client: KubeClient;
  names: Names;
  log: Log;
  clock: RunClock;
  stop: AbortSignal;
  isUpgrading(): Promise<boolean>;
  /** A run that the journal shows unfinished goes on by itself: its lock is not touched here. */
  hasUnfinished: boolean;
  /** Whether an API server that cannot be reached is waited for. */
  isPatient: boolean;
  disruption: Disruption;
}

export interface Joined {
  /** See Beginning. */
  before: Before | null;
  /** For how many nodes the DaemonSet is, where that is known. */
  nodes: number;
  /** This Node as it was read, where it was. */
  node?: V1Node;
}

/** The cluster could not be reached, and nobody waits for it. */
export class JoinError extends Error {}

/**
 * Checks the way to the lock and to the node, and settles a lock that an earlier process left.
 * null where it was told to stop. Throws ClusterError, and JoinError without patience.
 */
export async function joinCluster(ports: ClusterPorts): Promise<Joined | null> {
  const { log, clock, stop, isPatient } = ports;
  for (let delayMs = RETRY_FIRST_MS; ; delayMs = Math.min(delayMs * 2, RETRY_MAX_MS)) {
    // A server that accepts and never answers is no reason to stay.
    const joined = await Promise.race([attempt(ports), aborted(stop).then(() => null)]);
    if (joined === null) return null;
    if (typeof joined !== 'string') return joined;
    // The run that was left behind waits for the API server itself.
    if (ports.hasUnfinished) return { before: null, nodes: 1 };
    if (!isPatient) throw new JoinError(`Failed to initialize kube: ${joined}`);
    log.say('warn', `Failed to initialize kube, retrying in ${formatDuration(delayMs)}: ${joined}`);
    await pause(clock, delayMs, stop);
    if (stop.aborted) return null;
  }
}

/** Joined, or why the API server did not answer. */
async function attempt(ports: ClusterPorts): Promise<Joined | string> {
  const { client, names, log } = ports;
  const checked = await checkCluster(client, names, ports.disruption);
  if (!checked.reachable) return checked.message;
  const { node, lock } = checked;
  const left = readLeftover(node);
  sayLeft(ports, left);
  const nodes = lock.nodes ?? 1;
  if (ports.hasUnfinished) return { before: null, nodes, node };
  const isLocked = verdict(lock.value, names.node) === 'acquired';
  if (left.isCordoned || left.reboot) {
    const adopt = isLocked && (await ports.isUpgrading());
    const leftover = leftoverOf(left, isLocked, ports);
    return { before: { adopt, leftover }, nodes, node };
  }
  try {
    const { adopt } = await recoverLock({
      client,
      names,
      log,
      isUpgrading: ports.isUpgrading,
      pause: (delayMs) => pause(ports.clock, delayMs, ports.stop),
    });
    return { before: adopt ? { adopt } : null, nodes, node };
  } catch (error) {
    if (error instanceof RecoveryError) return error.message;
    throw error;
  }
}

function sayLeft(
  { log, names: { node } }: ClusterPorts,
  { isCordoned, reboot }: NodeLeftover,
): void {
  const state = reboot === null ? 'not rebooting' : `rebooting since ${reboot.at}`;
  log.say('info', `Initialized kube node ${node} (${state})`);
  const drained = isCordoned ? 'is marked' : 'is not marked';
  log.say('info', `Kube node ${node} ${drained} as drained (with annotation ${DRAIN_ANNOTATION})`);
}

function leftoverOf(
  { isCordoned, reboot }: NodeLeftover,
  isLocked: boolean,
  { clock, disruption: { rebootTimeoutMs } }: ClusterPorts,
): Leftover {
  if (reboot === null) return { isLocked, isCordoned, reboot };
  const leftMs = reboot.atMs + rebootTimeoutMs - clock.nowMs();
  // Whatever the clocks say it is no longer than it is.
  return {
    isLocked,
    isCordoned,
    reboot: { ...reboot, leftMs: Math.min(Math.max(0, leftMs), rebootTimeoutMs) },
  };
}
