import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Installs Debian packages, which takes root. Throws where that fails. */
export function installPackages(...names: string[]): void {
  process.stderr.write(`installing ${names.join(' ')}...\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-q'],
    ['install', '-qy', '--no-install-recommends', ...names],
  ]) {
    execFileSync('apt-get', args, { env, stdio: ['ignore', 2, 2] });
  }
}

/** Whether this is root on a Debian, so that packages can be installed. */
export function canInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}
