import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { poll } from '../cluster/cluster.ts';
import { baseImage } from './image.ts';

/** A real Debian host: systemd, D-Bus and logind, booted in a container of its own. */
export interface Host {
  root: string;
  /** The address of its system bus, from outside. */
  bus(): string;
  /** The host mount: the same path on the host and here. */
  mount: string;
  /** The host's journal directory, from outside. */
  journal(): string;
  /** Runs a command on the host as root; its output. Throws where it fails. */
  exec(...command: string[]): string;
  /** The version of an installed package. */
  version(name: string): string;
  stop(): Promise<void>;
}

/** Boots a fresh host; it is up when this resolves. Its folders are under /run and gone with it. */
export async function startHost(): Promise<Host> {
  const base = baseImage();
  mkdirSync('/run/host-upgrades-test', { recursive: true });
  const folder = mkdtempSync('/run/host-upgrades-test/host-');
  const mount = join(folder, 'mount');
  const layers = ['root', 'upper', 'work'].map((name) => join(folder, name));
  const [root = '', upper = '', work = ''] = layers;
  for (const path of [mount, ...layers]) mkdirSync(path);
  // The image stays as it is: a host writes into its own layer.
  execFileSync('mount', [
    '-t',
    'overlay',
    'overlay',
    '-o',
    `lowerdir=${base},upperdir=${upper},workdir=${work}`,
    root,
  ]);
  const child = spawn(
    'systemd-nspawn',
    ['-D', root, '--register=no', '--keep-unit', '-b', '--console=pipe', `--bind=${mount}`],
    { stdio: 'ignore' },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  const inside = () => `/proc/${leader(child)}/root`;
  const enter = (command: string[]) => [
    '-t',
    leader(child),
    '-m',
    '-p',
    '-u',
    '-i',
    '--',
    ...command,
  ];
  const host: Host = {
    root,
    mount,
    bus: () => `unix:path=${inside()}/run/dbus/system_bus_socket`,
    journal: () => `${inside()}/run/log/journal`,
    exec: (...command) =>
      execFileSync('nsenter', enter(command), { encoding: 'utf8', stdio: 'pipe' }),
    version: (name) => host.exec('dpkg-query', '-W', '-f', '${Version}', name),
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      execFileSync('umount', ['--lazy', root]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await poll(async () => {
      if (child.exitCode !== null) throw new Error(`systemd-nspawn ended with ${child.exitCode}`);
      return existsSync(`${inside()}/run/dbus/system_bus_socket`) && isUp(host);
    }, 60_000);
  } catch (error) {
    await host.stop();
    throw error;
  }
  return host;
}

/** Neither starting nor in the middle of its boot; a degraded host is up too. */
function isUp(host: Host): boolean {
  const state = host.exec('sh', '-c', 'systemctl is-system-running || true').trim();
  return state === 'running' || state === 'degraded';
}

/** The host's init is nspawn's child. */
function leader(child: ChildProcess): string {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  return children.split(' ')[0] ?? '';
}
