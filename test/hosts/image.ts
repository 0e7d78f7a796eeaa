import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildInto, cachePath } from '../cache.ts';

const SUITE = 'bookworm';
const PACKAGES = ['systemd', 'systemd-sysv', 'dbus', 'unattended-upgrades', 'apt-utils'];
/** Debian packages that the runner itself needs, by the program that shows they are there. */
const TOOLS = {
  debootstrap: 'debootstrap',
  'systemd-nspawn': 'systemd-container',
  'apt-ftparchive': 'apt-utils',
  journalctl: 'systemd',
};

/** Why real hosts cannot run here, or '' where they can (perhaps after an installation). */
export function missing(): string {
  if (process.getuid?.() !== 0) return 'only root can boot a host';
  return hasProgram('apt-get') ? '' : 'not a Debian machine';
}

/** The root folder of a host that was never booted, made once; installs what that needs. */
export function baseImage(): string {
  installTools();
  const path = cachePath('host', SUITE, PACKAGES.join(), REPOSITORY_VERSION);
  if (!existsSync(path)) buildInto(path, build);
  return path;
}

function installTools(): void {
  const lacking = Object.entries(TOOLS).filter(([program]) => !hasProgram(program));
  if (lacking.length === 0) return;
  const packages = lacking.map(([, name]) => name);
  process.stderr.write(`installing ${packages.join(' ')}...\n`);
  const options = { stdio: ['ignore', 2, 2] as ('ignore' | number)[] };
  execFileSync('apt-get', ['update', '-q'], options);
  execFileSync('apt-get', ['install', '-qy', '--no-install-recommends', ...packages], options);
}

function build(folder: string): void {
  process.stderr.write('making a Debian host (once, into the cache)...\n');
  const include = `--include=${PACKAGES.join()}`;
  execFileSync('debootstrap', ['--variant=minbase', include, SUITE, folder], {
    stdio: ['ignore', 'ignore', 2],
  });
  addRepository(folder);
}

/** Counted up when the repository below changes: the cache is keyed by it. */
const REPOSITORY_VERSION = '3';

/**
 * A local repository with two versions of each package; the old ones are installed, and no other
 * source is left: a host never asks the network.
 */
function addRepository(folder: string): void {
  const repository = join(folder, 'repository');
  mkdirSync(repository);
  const scripts = {
    'hu-plain': '',
    'hu-reboot':
      'echo "*** System restart required ***" >/run/reboot-required; printf "hu-reboot\\nhu-reboot\\n" >/run/reboot-required.pkgs',
    'hu-failing': 'echo "hu-failing: the disk is on fire" >&2; exit 7',
    'hu-slow':
      'n=0; while [ ! -e /run/hu-go-on ] && [ $n -lt 600 ]; do echo "waiting $n"; sleep 0.2; n=$((n + 1)); done',
  };
  for (const [name, script] of Object.entries(scripts)) {
    buildPackage(repository, name, '1.0', '');
    buildPackage(join(folder, 'updates'), name, '2.0', script);
    const file = `/repository/${name}_1.0_all.deb`;
    execFileSync('chroot', [folder, 'dpkg', '-i', file], { stdio: ['ignore', 'ignore', 2] });
  }
  rmSync(repository, { recursive: true });
  mkdirSync(repository);
  writeFileSync(join(folder, 'etc/apt/sources.list'), 'deb [trusted=yes] file:/repository ./\n');
  index(folder);
}

/** Puts the 2.0 of the packages named into a host's repository, so that they are upgrades. */
export function offer(root: string, ...names: string[]): void {
  for (const name of names) {
    execFileSync('cp', [join(root, `updates/${name}_2.0_all.deb`), join(root, 'repository')]);
  }
  index(root);
}

function index(root: string): void {
  const repository = join(root, 'repository');
  const run = (args: string[]) => execFileSync('apt-ftparchive', args, { cwd: repository });
  writeFileSync(join(repository, 'Packages'), run(['packages', '.']));
  const release = ['-o', 'APT::FTPArchive::Release::Origin=HostUpgradesTest'];
  writeFileSync(join(repository, 'Release'), run([...release, 'release', '.']));
}

function buildPackage(into: string, name: string, version: string, postinst: string): void {
  const folder = join(into, `build-${name}`);
  mkdirSync(join(folder, 'DEBIAN'), { recursive: true });
  const fields = {
    Package: name,
    Version: version,
    Architecture: 'all',
    Maintainer: 'host-upgrades tests <nobody@example.com>',
    Description: 'a package for tests',
  };
  const control = Object.entries(fields).map(([field, value]) => `${field}: ${value}\n`);
  writeFileSync(join(folder, 'DEBIAN/control'), control.join(''));
  if (postinst !== '') {
    writeFileSync(join(folder, 'DEBIAN/postinst'), `#!/bin/sh\n${postinst}\n`, { mode: 0o755 });
  }
  const deb = join(into, `${name}_${version}_all.deb`);
  execFileSync('dpkg-deb', ['--build', '--root-owner-group', folder, deb], { stdio: 'ignore' });
  rmSync(folder, { recursive: true });
}

function hasProgram(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
}
