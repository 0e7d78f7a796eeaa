import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from './errors.ts';

/** Says early, before any lock is taken, that the host mount cannot be written. Throws HostError. */
export function checkHostMount(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
    writeShared(path, '.host-upgrades-probe', '');
    removeShared(path, '.host-upgrades-probe');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const advice = "mount a directory of the host's /run there, read-write";
    throw new HostError(`--host-mount=${path}: cannot be written (${code}); ${advice}`, {
      cause: error,
    });
  }
}

/** Writes a file whole: the host never sees half of it. */
export function writeShared(mount: string, name: string, text: string): void {
  const path = join(mount, name);
  const temporary = `${path}.new`;
  // No need to be executable: the host's /run may well be mounted noexec.
  writeFileSync(temporary, text);
  chmodSync(temporary, 0o644);
  renameSync(temporary, path);
}

export function removeShared(mount: string, ...names: string[]): void {
  for (const name of names) rmSync(join(mount, name), { force: true });
}
