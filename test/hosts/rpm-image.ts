import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildInto, cachePath } from '../cache.ts';
import { notBuilt } from '../requires.ts';
import { baseImage, missing } from './image.ts';
import { addRpmPackages, RPM_REPOSITORY } from './rpm-packages.ts';

export type RpmFamily = 'dnf' | 'zypper';

/** Debian has both package managers, and not both at once. */
const PACKAGES: Record<RpmFamily, string[]> = {
  dnf: ['dnf', 'dnf-plugins-core', 'createrepo-c', 'rpm'],
  zypper: ['zypper', 'createrepo-c', 'rpm'],
};

/** Files that make it a host of the family. */
const FILES: Record<RpmFamily, Record<string, string>> = {
  dnf: {
    'etc/os-release': `NAME="Rocky Linux"
ID="rocky"
ID_LIKE="rhel centos fedora"
VERSION_ID="9.4"
PRETTY_NAME="Rocky Linux 9.4 (of the tests)"
`,
    'etc/dnf/dnf.conf': '[main]\ngpgcheck=0\n',
    'etc/dnf/plugins/local.conf': '[main]\nenabled = false\n',
    // Beside the kernel and its kin.
    'etc/dnf/plugins/needs-restarting.d/hu.conf': 'hu-reboot\n',
    'etc/yum.repos.d/hu.repo': `[hu]\nname=hu\nbaseurl=file://${RPM_REPOSITORY}\ngpgcheck=0\n`,
    // Debian has the program's module, and not this file.
    'usr/bin/dnf-automatic': `#!/usr/bin/python3
import sys
from dnf.automatic.main import main
sys.exit(main(sys.argv[1:]))
`,
  },
  zypper: {
    'etc/os-release': `NAME="openSUSE Leap"
ID="opensuse-leap"
ID_LIKE="suse opensuse"
VERSION_ID="15.6"
PRETTY_NAME="openSUSE Leap 15.6 (of the tests)"
`,
    'etc/zypp/repos.d/hu.repo': `[hu]
name=hu
enabled=1
autorefresh=1
baseurl=dir:${RPM_REPOSITORY}
gpgcheck=0
`,
  },
};

/** Why such hosts cannot run here, or '' where they can. */
export function missingRpm(): string {
  return process.env[notBuilt('rpm_hosts')] || missing();
}

/** The root folder of a host of the family that was never booted: the Debian one and its tools. */
export function rpmImage(family: RpmFamily): string {
  const base = baseImage();
  const sources = ['rpm-image.ts', 'rpm-packages.ts'].map((name) =>
    readFileSync(join(import.meta.dirname, name)),
  );
  const path = cachePath(`host-${family}`, basename(base), ...sources);
  if (!existsSync(path)) buildInto(path, (folder) => build(folder, base, family));
  return path;
}

function build(folder: string, base: string, family: RpmFamily): void {
  process.stderr.write(`making a host with ${family} (once, into the cache)...\n`);
  execFileSync('cp', ['-a', `${base}/.`, folder]);
  const sources = join(folder, 'etc/apt/sources.list');
  const own = readFileSync(sources);
  writeFileSync(sources, 'deb http://deb.debian.org/debian bookworm main\n');
  const resolver = join(folder, 'etc/resolv.conf');
  cpSync('/etc/resolv.conf', resolver, { dereference: true });
  const install = `apt-get install -qy --no-install-recommends ${PACKAGES[family].join(' ')}`;
  const clear = 'apt-get clean; rm -r /var/lib/apt/lists/*';
  execFileSync('chroot', [folder, 'sh', '-ec', `apt-get update -q; ${install}; ${clear}`], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 2],
  });
  writeFileSync(sources, own);
  rmSync(resolver);
  // Debian's rpm would keep its database in the home of whoever runs it.
  const files = { 'etc/rpm/macros': '%_dbpath /var/lib/rpm\n', ...FILES[family] };
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    rmSync(path, { force: true });
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text, { mode: name.startsWith('usr/bin') ? 0o755 : 0o644 });
  }
  addRpmPackages(folder);
}
