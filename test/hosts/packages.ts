import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What the new version of a test package does when it is installed. */
interface TestPackage {
  /** Its maintainer script, sh. */
  postinst?: string;
  /** Its configuration file's path; the new version brings another text. */
  conffile?: string;
  depends?: string;
}

/** Each is installed as 1.0; 2.0 becomes an upgrade once it is offered. */
export const TEST_PACKAGES: Record<string, TestPackage> = {
  'hu-plain': {},
  'hu-later': {},
  'hu-reboot': {
    postinst: `echo '*** System restart required ***' >/run/reboot-required
printf 'hu-reboot\\n\\nhu-reboot\\nlibc6\\n' >/run/reboot-required.pkgs`,
  },
  'hu-failing': { postinst: 'echo "the disk is on fire" >&2; exit 7' },
  'hu-conffile': { conffile: '/etc/hu-conffile.conf' },
  'hu-slow': {
    postinst: waitWhile('package'),
  },
  // A progress bar, bytes that are no UTF-8, and more lines than anybody reads.
  'hu-noisy': {
    postinst: `printf 'progress 1%%\\rprogress 100%%\\rbad \\377 byte\\n'
seq -f 'noise %.0f' 1 2000`,
  },
};

/** Where an upgrade can be made to wait: reading the lists, and installing hu-slow. */
export type Gate = 'update' | 'package';

/** Shell that waits while the gate's file is there. */
export function waitWhile(gate: Gate): string {
  return `while [ -e ${gateFile(gate)} ]; do sleep 0.05; done`;
}

export function gateFile(gate: Gate): string {
  return `/run/hu-wait-${gate}`;
}

export const REPOSITORY = '/repository';
const UPDATES = '/updates';
/** What the repository calls itself: unattended-upgrades picks packages by it. */
export const ORIGIN = 'HostUpgradesTest';

/**
 * Makes a local repository in a host's root, with the old versions installed. No other source is
 * left: a host never asks the network.
 */
export function addRepository(root: string): void {
  mkdirSync(join(root, REPOSITORY));
  mkdirSync(join(root, UPDATES));
  for (const [name, content] of Object.entries(TEST_PACKAGES)) {
    const old = buildPackage(join(root, UPDATES), name, '1.0', { ...content, postinst: '' });
    buildPackage(join(root, UPDATES), name, '2.0', content);
    const inside = join(UPDATES, old);
    execFileSync('chroot', [root, 'dpkg', '-i', inside], { stdio: ['ignore', 'ignore', 2] });
    rmSync(join(root, inside));
  }
  const source = `deb [trusted=yes] file:${REPOSITORY} ./\n`;
  writeFileSync(join(root, 'etc/apt/sources.list'), source);
  indexRepository(root);
}

/** Puts the 2.0 of the packages named into a host's repository: they are upgrades now. */
export function offer(root: string, ...names: string[]): void {
  for (const name of names) {
    const deb = `${name}_2.0_all.deb`;
    execFileSync('cp', [join(root, UPDATES, deb), join(root, REPOSITORY)]);
  }
  indexRepository(root);
}

function indexRepository(root: string): void {
  const cwd = join(root, REPOSITORY);
  const run = (args: string[]) => execFileSync('apt-ftparchive', args, { cwd });
  rmSync(join(cwd, 'Release'), { force: true });
  writeFileSync(join(cwd, 'Packages'), run(['packages', '.']));
  const origin = `APT::FTPArchive::Release::Origin=${ORIGIN}`;
  writeFileSync(join(cwd, 'Release'), run(['-o', origin, 'release', '.']));
}

/** The name of the file made in `into`. */
function buildPackage(into: string, name: string, version: string, content: TestPackage): string {
  const folder = join(into, `build-${name}`);
  const fields = {
    Package: name,
    Version: version,
    Architecture: 'all',
    Maintainer: 'host-upgrades tests <nobody@example.com>',
    Description: 'a package for tests',
    ...(content.depends ? { Depends: content.depends } : {}),
  };
  const control = Object.entries(fields).map(([field, value]) => `${field}: ${value}\n`);
  writeInto(folder, 'DEBIAN/control', control.join(''));
  if (content.postinst) writeInto(folder, 'DEBIAN/postinst', `#!/bin/sh\n${content.postinst}\n`);
  if (content.conffile) {
    writeInto(folder, content.conffile, `version = ${version}\n`);
    writeInto(folder, 'DEBIAN/conffiles', `${content.conffile}\n`);
  }
  const deb = `${name}_${version}_all.deb`;
  const args = ['--build', '--root-owner-group', folder, join(into, deb)];
  execFileSync('dpkg-deb', args, { stdio: ['ignore', 'ignore', 2] });
  rmSync(folder, { recursive: true });
  return deb;
}

function writeInto(folder: string, path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  // dpkg-deb wants maintainer scripts that can be run.
  chmodSync(file, path === 'DEBIAN/postinst' ? 0o755 : 0o644);
}
