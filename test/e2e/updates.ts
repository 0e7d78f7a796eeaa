import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host } from '../hosts/host.ts';
import { offer, REPOSITORY } from '../hosts/packages.ts';

export const PACKAGE = 'hu-reboot';
let versions = 2;

/**
 * Puts a version of the package that asks for a reboot into the hosts' repositories that none of
 * them has yet; the version.
 */
export function publish(hosts: readonly Host[]): string {
  versions += 1;
  const version = `${versions}.0`;
  const folder = mkdtempSync(join(tmpdir(), 'package-'));
  try {
    for (const host of hosts) {
      const deb = renumber(join(host.root, 'updates', `${PACKAGE}_2.0_all.deb`), version, folder);
      copyFileSync(deb, join(host.root, REPOSITORY, `${PACKAGE}_${version}_all.deb`));
      offer(host.root);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return version;
}

/** The package under another version number; its path in `folder`. */
function renumber(known: string, version: string, folder: string): string {
  const content = join(folder, 'content');
  const deb = join(folder, 'package.deb');
  rmSync(content, { recursive: true, force: true });
  execFileSync('dpkg-deb', ['--raw-extract', known, content]);
  const control = join(content, 'DEBIAN/control');
  const text = readFileSync(control, 'utf8').replace(/^Version: .*$/m, `Version: ${version}`);
  writeFileSync(control, text);
  execFileSync('dpkg-deb', ['--build', '--root-owner-group', content, deb], { stdio: 'ignore' });
  return deb;
}
