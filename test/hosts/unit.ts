import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectBus } from '../../src/host/bus.ts';
import { type UnitState, unitState } from '../../src/host/systemd.ts';
import { poll } from '../cluster/cluster.ts';
import type { Host } from './host.ts';

export const UNIT = 'host-upgrades.service';

/** The upgrade's unit as the host's systemd has it now. */
export async function upgradeUnit(host: Host): Promise<UnitState | null> {
  const bus = await connectBus(host.bus());
  try {
    return await unitState(bus, UNIT);
  } finally {
    bus.close();
  }
}

export function becomes(host: Host, activeState: string): Promise<void> {
  return poll(async () => (await upgradeUnit(host))?.activeState === activeState, 20_000);
}

/** Waits until a file of the host mount has the text. */
export function shows(host: Host, name: string, text: string): Promise<void> {
  const path = join(host.mount, name);
  return poll(async () => existsSync(path) && readFileSync(path, 'utf8').includes(text), 20_000);
}

/** How often the unit was started since the host booted. */
export function starts(host: Host): number {
  const lines = host.exec('journalctl', '--output=cat', `--unit=${UNIT}`).split('\n');
  return lines.filter((line) => line.startsWith('Starting')).length;
}

/** A unit of that name that somebody else starts: it runs `script`. */
export async function startForeign(
  host: Host,
  script = 'sleep 60',
  ...options: string[]
): Promise<void> {
  const service = ['--no-block', '--service-type=oneshot', `--unit=${UNIT}`];
  host.exec('systemd-run', ...service, ...options, 'sh', '-c', script);
  await becomes(host, 'activating');
}

/** Ends it and forgets it. */
export function stopForeign(host: Host): void {
  host.exec('sh', '-c', `systemctl stop ${UNIT}; systemctl reset-failed ${UNIT} || true`);
}
