import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import { type HostOptions, type HostPort, openHost } from '../../src/host/host.ts';
import type { Host } from './host.ts';
import { ORIGIN } from './packages.ts';

/** Upgrades come from the tests' own repository; what the host's files say is cleared. */
export const CONFIG = `#clear Unattended-Upgrade::Origins-Pattern;
#clear Unattended-Upgrade::Package-Blacklist;
Unattended-Upgrade::Origins-Pattern { "origin=${ORIGIN}"; };
`;

/** The configuration's folder, beside the host's root. */
export function configPath(host: Host): string {
  return join(host.root, '../config');
}

/** What the program would find mounted as its configuration. */
export function writeConfig(host: Host, text: string | null): void {
  writeConfigs(host, text === null ? {} : { 'unattended-upgrades.conf': text });
}

/** The same, by the names of its files. */
export function writeConfigs(host: Host, files: Record<string, string>): void {
  rmSync(configPath(host), { recursive: true, force: true });
  mkdirSync(configPath(host));
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(configPath(host), name), text);
}

/** The host as the program in a pod on it sees it. */
export function optionsFor(host: Host, more: Partial<HostOptions> = {}): HostOptions {
  return {
    mount: host.mount,
    configPath: configPath(host),
    busAddress: host.bus(),
    journalPath: host.journal(),
    followMs: 50,
    reconnectMs: 50,
    warn(message) {
      throw new Error(message);
    },
    ...more,
  };
}

/** Opens the host with the tests' configuration. */
export async function openOn(host: Host, more: Partial<HostOptions> = {}): Promise<HostPort> {
  writeConfig(host, CONFIG);
  return openHost(optionsFor(host, more));
}

export type UpgradeEnd = Extract<RunEvent, { type: 'upgrade.finished' | 'upgrade.failed' }>;

export interface Upgraded {
  events: RunEvent[];
  last: UpgradeEnd;
  /** The lines that were shown while it ran. */
  output: string;
}

let runs = 0;

/** Upgrades as a run of its own, or as the one named; its events. */
export async function runUpgrade(
  port: HostPort,
  { run = '', resumed = false } = {},
): Promise<Upgraded> {
  runs += 1;
  const stream = port.upgrade(run || `run-${runs}`, resumed);
  return upgraded(await lastValueFrom(stream.pipe(toArray())));
}

export function upgraded(events: RunEvent[]): Upgraded {
  const ends = events.filter(isEnd);
  const last = events.at(-1);
  if (ends.length !== 1 || last === undefined || !isEnd(last)) {
    throw new Error(`not one end, and that last: ${JSON.stringify(events)}`);
  }
  const lines = events.map((event) => (event.type === 'upgrade.output' ? `${event.text}\n` : ''));
  return { events, last, output: lines.join('') };
}

function isEnd(event: RunEvent): event is UpgradeEnd {
  return event.type === 'upgrade.finished' || event.type === 'upgrade.failed';
}

/** The status of an upgrade that must have gone well. */
export function finished({ last }: Upgraded) {
  if (last.type !== 'upgrade.finished') throw new Error(last.message);
  return last.status;
}

/** The message of an upgrade that must have failed. */
export function failure({ last }: Upgraded): string {
  if (last.type !== 'upgrade.failed') throw new Error(`it went well: ${last.status.output}`);
  return last.message;
}
