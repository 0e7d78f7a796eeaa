import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Outputs } from './result.ts';
import { FILES } from './script.ts';

/** The host mount or the configuration cannot be used; the message says what to do. */
export class MountError extends Error {}

/** Says early, before any lock is taken, that the host mount cannot be written. */
export function checkHostMount(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK);
    const probe = join(path, '.host-upgrades-probe');
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new MountError(
      `--host-mount=${path}: cannot be written (${code}); mount a directory of the host's /run there, read-write`,
    );
  }
}

/**
 * The files of a mounted ConfigMap as one consistent set: its `..data` link is resolved once, so
 * that a change in the middle gives either all old or all new. null where there is no such path.
 */
export function readConfig(path: string): Map<string, string> | null {
  if (!existsSync(path)) return null;
  try {
    const data = join(path, '..data');
    const folder = existsSync(data) ? realpathSync(data) : path;
    const names = readdirSync(folder).filter((name) => !name.startsWith('..'));
    const files = names.filter((name) => statSync(join(folder, name)).isFile());
    return new Map(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new MountError(`--config-path=${path}: cannot be read (${code}); check its mount`);
  }
}

/** Writes a file whole: the host never sees half of it. */
export function writeShared(mount: string, name: string, text: string, mode = 0o644): void {
  const path = join(mount, name);
  const temporary = `${path}.new`;
  writeFileSync(temporary, text);
  chmodSync(temporary, mode);
  renameSync(temporary, path);
}

/** Reads what an upgrade left in the host mount; a file that is not there is empty. */
export function readOutputs(mount: string, journal: string): Outputs {
  const reboot = join(mount, FILES.reboot);
  const hasReboot = existsSync(reboot);
  return {
    update: readText(join(mount, FILES.update)),
    upgrade: readText(join(mount, FILES.upgrade)),
    reboot: hasReboot ? readText(reboot) : null,
    rebootMs: hasReboot ? Math.floor(statSync(reboot).mtimeMs) : null,
    rebootPackages: readText(join(mount, FILES.rebootPackages)),
    kernels: readText(join(mount, FILES.kernels)),
    journal,
  };
}

function readText(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
