import { firstValueFrom } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import type { Line } from '../../machines/lines.ts';
import { type LockObject, verdict } from '../../machines/lock.ts';
import type { KubeClient } from '../kube/client.ts';
import { readLock, releaseLock } from '../kube/lock.ts';
import type { Log } from '../log/log.ts';
import type { Names } from '../trace/format.ts';

export interface RecoveryPorts {
  client: KubeClient;
  names: Names;
  log: Log;
  /** Whether an upgrade of an earlier process is still at work on the host. */
  isUpgrading(): Promise<boolean>;
  pause(delayMs: number): Promise<void>;
}

/** A request of the recovery failed; nothing is decided. */
export class RecoveryError extends Error {}

/**
 * What a process without a journal does about the lock when it starts: a lock of another node is
 * left alone; one of this node is adopted where the upgrade still runs, else released, since no
 * run of this node is on. Throws RecoveryError.
 */
export async function recoverLock(
  ports: RecoveryPorts,
): Promise<{ adopt: boolean; nodes: number | null }> {
  const { names, log } = ports;
  const lock = await read(ports);
  test(ports, lock);
  const nodes = lock.nodes ?? null;
  const name = `kube lock ${names.namespace}/daemonsets/${names.daemonSet}`;
  if (verdict(lock.value, names.node) !== 'acquired') {
    log.say('info', `Using ${name} (not acquired, value=${lock.value})`);
    return { adopt: false, nodes };
  }
  if (await ports.isUpgrading()) return { adopt: true, nodes };
  for (;;) {
    const outcome = await release(ports);
    if (outcome === 'released') log.say('info', `Released ${name} (value=${names.node})`);
    if (outcome !== 'conflicted') return { adopt: false, nodes };
    await ports.pause(CONFLICT_PAUSE_MS);
  }
}

const CONFLICT_PAUSE_MS = 15;

async function release(ports: RecoveryPorts): Promise<'released' | 'taken' | 'conflicted'> {
  const { client, names } = ports;
  const lock = await read(ports);
  write(ports, { id: 'lock.release' });
  // Somebody has taken it away in between.
  if (verdict(lock.value, names.node) !== 'acquired') return 'taken';
  write(ports, { id: 'lock.clear', value: lock.value });
  write(ports, { id: 'lock.update' });
  const event = await firstValueFrom(releaseLock(client, { ...names, lock }));
  if (event.type === 'lock.updated') return 'released';
  if (event.type !== 'lock.conflicted') throw new RecoveryError(messageOf(event));
  write(ports, { id: 'lock.conflict', message: event.message });
  return 'conflicted';
}

async function read(ports: RecoveryPorts): Promise<LockObject> {
  write(ports, { id: 'lock.get' });
  const lock = { value: '', resourceVersion: '' };
  const event = await firstValueFrom(readLock(ports.client, { ...ports.names, lock }));
  if (event.type === 'lock.read') return event.lock;
  throw new RecoveryError(messageOf(event));
}

function test(ports: RecoveryPorts, { value }: LockObject): void {
  write(ports, { id: 'lock.test', value, verdict: verdict(value, ports.names.node) });
}

function write({ log, names }: RecoveryPorts, line: Line): void {
  log.line(line, names);
}

function messageOf(event: RunEvent): string {
  return 'message' in event ? event.message : event.type;
}
