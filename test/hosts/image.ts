import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildInto, cachePath } from '../cache.ts';
import { notBuilt } from '../requires.ts';
import { addRepository, waitWhile } from './packages.ts';

const SUITE = 'bookworm';
const PACKAGES = ['systemd', 'systemd-sysv', 'dbus', 'unattended-upgrades', 'apt-utils'];
/** Debian packages that this machine itself needs, by a program that shows they are there. */
const TOOLS = {
  debootstrap: 'debootstrap',
  'systemd-nspawn': 'systemd-container',
  'apt-ftparchive': 'apt-utils',
  'dpkg-deb': 'dpkg',
  journalctl: 'systemd',
};

/** Why real hosts cannot run here, or '' where they can (perhaps after an installation). */
export function missing(): string {
  const failed = process.env[notBuilt('hosts')];
  if (failed) return failed;
  if (process.platform !== 'linux') return 'not Linux';
  if (process.getuid?.() !== 0) return 'only root can boot a host';
  return hasProgram('apt-get') ? '' : 'not a Debian machine';
}

/** The root folder of a host that was never booted, made once; installs what that needs. */
export function baseImage(): string {
  installTools();
  const sources = ['image.ts', 'packages.ts'].map((name) =>
    readFileSync(join(import.meta.dirname, name)),
  );
  const path = cachePath('host', ...sources);
  if (!existsSync(path)) buildInto(path, build);
  return path;
}

function installTools(): void {
  const lacking = Object.entries(TOOLS).filter(([program]) => !hasProgram(program));
  if (lacking.length === 0) return;
  const packages = lacking.map(([, name]) => name);
  process.stderr.write(`installing ${packages.join(' ')}...\n`);
  aptGet('update', '-q');
  aptGet('install', '-qy', '--no-install-recommends', ...packages);
}

function aptGet(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', args, { env, stdio: ['ignore', 2, 2] });
}

function build(folder: string): void {
  process.stderr.write('making a Debian host (once, into the cache)...\n');
  const include = `--include=${PACKAGES.join()}`;
  execFileSync('debootstrap', ['--variant=minbase', include, SUITE, folder], {
    stdio: ['ignore', 'ignore', 2],
  });
  const texts = '/usr/share/doc /usr/share/locale /usr/share/man';
  const clear = `apt-get clean; rm -r /var/lib/apt/lists/* ${texts}`;
  execFileSync('chroot', [folder, 'sh', '-ec', clear], { stdio: ['ignore', 'ignore', 2] });
  // They would hold apt's lock whenever they like.
  for (const timer of ['apt-daily.timer', 'apt-daily-upgrade.timer']) {
    const path = join(folder, 'etc/systemd/system', timer);
    rmSync(path, { force: true });
    symlinkSync('/dev/null', path);
  }
  // Before anything of an upgrade is done, for tests that look at one in the middle.
  const hook = `APT::Update::Pre-Invoke { "${waitWhile('update')}"; };\n`;
  writeFileSync(join(folder, 'etc/apt/apt.conf.d/98wait'), hook);
  addRepository(folder);
}

function hasProgram(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
}
