import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { poll } from '../cluster/cluster.ts';
import { boot } from './container.ts';
import { baseImage } from './image.ts';
import { type Gate, gateFile } from './packages.ts';

/** A real Debian host: systemd, D-Bus and logind, booted in a container. */
export interface Host {
  /** Its root folder, from outside. */
  root: string;
  /** The host mount: the same path on the host and here. Empty after a reboot, as /run is. */
  mount: string;
  /** Its root as it sees it itself, with /run and /proc, from outside; another one after a reboot. */
  inside(): string;
  /** The address of its system bus, from outside; another one after a reboot. */
  bus(): string;
  /** The host's journal directory, from outside. */
  journal(): string;
  /** Runs a command on the host as root; its output. Throws where it fails. */
  exec(...command: string[]): string;
  /** The version of an installed package. */
  version(name: string): string;
  bootId(): string;
  /** Makes upgrades wait at the gate, until it is opened or the host reboots. */
  hold(gate: Gate): void;
  letGo(gate: Gate): void;
  /** Asks logind for a reboot; up again when this resolves. */
  reboot(): Promise<void>;
  /** Waits until the host has rebooted `times` times since it was started, and is up. */
  rebooted(times: number): Promise<void>;
  stop(): Promise<void>;
}

/** A root folder for one host, like the image's. */
function copyImage(image: string, root: string): void {
  mkdirSync(root);
  for (const name of readdirSync(image)) {
    const copy = (...how: string[]) =>
      spawnSync('cp', ['-a', ...how, join(image, name), root], { encoding: 'utf8' });
    // Programs are never written into, only replaced: links to the image's own will do, where the
    // two are on one file system.
    if (name === 'usr' && copy('--link').status === 0) continue;
    const { status, stderr } = copy('--reflink=auto');
    if (status !== 0) throw new Error(`the image cannot be copied: ${stderr}`);
  }
}

const REBOOT_EXIT_CODE = 133;
const UP_LIMIT_MS = 60_000;

/** What happens around a host's reboots. */
export interface HostHooks {
  /** It has gone down to reboot. It boots again once this resolves. */
  down?(): Promise<void>;
  /** It has booted again and is up. */
  up?(): Promise<void>;
}

/** Boots a fresh host from a cached image, Debian's; it is up when this resolves. */
export async function startHost(hooks: HostHooks = {}, image = baseImage()): Promise<Host> {
  const folder = mkdtempSync(join(tmpdir(), 'debian-host-'));
  const root = join(folder, 'root');
  const mount = join(folder, `${basename(folder)}-mount`);
  mkdirSync(mount);
  copyImage(image, root);
  const log = openSync(join(folder, 'console.log'), 'a');
  let boots = 0;
  let isStopped = false;
  let container = boot(root, mount, log);
  /** Like a machine's firmware: what asked for a reboot is started again. */
  const supervise = async (): Promise<void> => {
    while ((await container.ended) === REBOOT_EXIT_CODE && !isStopped) {
      await hooks.down?.();
      if (isStopped) return;
      for (const name of readdirSync(mount)) rmSync(join(mount, name), { recursive: true });
      container = boot(root, mount, log);
      boots += 1;
      if (hooks.up) await host.rebooted(boots).then(hooks.up);
    }
  };
  const inside = () => `/proc/${container.leader()}/root`;
  const host: Host = {
    root,
    mount,
    inside,
    bus: () => `unix:path=${inside()}/run/dbus/system_bus_socket`,
    journal: () => `${inside()}/var/log/journal`,
    exec(...command) {
      const namespaces = ['--mount', '--pid', '--uts', '--ipc', '--net'];
      const args = [`--target=${container.leader()}`, ...namespaces, '--', ...command];
      return execFileSync('nsenter', args, { encoding: 'utf8', stdio: 'pipe' });
    },
    version: (name) => host.exec('dpkg-query', '-W', `--showformat=\${Version}`, name),
    bootId: () => readFileSync(`${inside()}/proc/sys/kernel/random/boot_id`, 'utf8').trim(),
    hold: (gate) => void host.exec('touch', gateFile(gate)),
    letGo: (gate) => void host.exec('rm', gateFile(gate)),
    async reboot() {
      const next = boots + 1;
      host.exec('busctl', 'call', ...LOGIN1, 'Reboot', 'b', 'false');
      await host.rebooted(next);
    },
    rebooted: (times) => poll(async () => boots >= times && isUp(host), UP_LIMIT_MS),
    async stop() {
      isStopped = true;
      await container.kill();
      await supervised;
      closeSync(log);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  const supervised = supervise();
  try {
    await host.rebooted(0);
  } catch (error) {
    const console = readFileSync(join(folder, 'console.log'), 'utf8');
    await host.stop();
    throw new Error(`the host did not come up:\n${console.slice(-2_000)}`, { cause: error });
  }
  return host;
}

/** What busctl needs to call logind's manager. */
export const LOGIN1 = [
  'org.freedesktop.login1',
  '/org/freedesktop/login1',
  'org.freedesktop.login1.Manager',
];

/** Neither starting nor stopping; a host with a failed unit is up too. */
function isUp(host: Host): boolean {
  const state = host.exec('sh', '-c', 'systemctl is-system-running || true').trim();
  return state === 'running' || state === 'degraded';
}
