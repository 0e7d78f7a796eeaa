import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from './errors.ts';

/** Where the DaemonSet mounts its ConfigMap; there need not be one. */
export const DEFAULT_CONFIG_PATH = '/etc/host-upgrades';

/** The configuration's files by name. */
export type Config = Map<string, string>;

/** A change of the ConfigMap in the middle of reading is followed this often. */
const TRIES = 5;

/**
 * The files of a mounted ConfigMap as one consistent set: its `..data` link is resolved once, so
 * that a change in the middle gives either all old or all new. null where the default path does
 * not exist. Throws HostError.
 */
export function readConfig(path: string): Config | null {
  for (let left = TRIES; ; left -= 1) {
    try {
      return readSet(dataFolder(path));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const isMissing = code === 'ENOENT' && !exists(path);
      if (isMissing && path === DEFAULT_CONFIG_PATH) return null;
      // The kubelet removes the old set as soon as the link points to the new one.
      if (code === 'ENOENT' && !isMissing && left > 1) continue;
      throw new HostError(
        `--config-path=${path}: cannot be read (${code}); it must be a directory, such as a mounted ConfigMap`,
        { cause: error },
      );
    }
  }
}

function dataFolder(path: string): string {
  const data = join(path, '..data');
  return exists(data) ? realpathSync(data) : path;
}

function readSet(folder: string): Config {
  const names = readdirSync(folder).filter((name) => !name.startsWith('..'));
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** Other errors than its absence are the caller's to see. */
function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
