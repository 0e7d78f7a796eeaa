import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from './errors.ts';

/** Where the DaemonSet mounts its ConfigMap; there need not be one. */
export const DEFAULT_CONFIG_PATH = '/etc/host-upgrades';

/** The configuration's files by name. */
export type Config = Map<string, string>;

/** A change of the ConfigMap in the middle of reading is followed this often. */
const TRIES = 20;

/**
 * The files of a mounted ConfigMap as one consistent set, all old or all new when it changes in
 * the middle. null where the default path does not exist. Throws HostError.
 */
export function readConfig(path: string): Config | null {
  for (let left = TRIES; ; left -= 1) {
    try {
      const folder = dataFolder(path);
      const config = readSet(folder);
      // The kubelet first points the link to the new set and then removes the old one, file by
      // file: with the link still where it was, nothing was missing.
      if (dataFolder(path) === folder) return config;
      if (left <= 1)
        throw new HostError(`--config-path=${path}: changes faster than it can be read`);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      const isMissing = code === 'ENOENT' && !exists(path);
      if (isMissing && path === DEFAULT_CONFIG_PATH) return null;
      if (code === 'ENOENT' && !isMissing && left > 1) continue;
      const advice = 'it must be a directory, such as a mounted ConfigMap';
      throw new HostError(`--config-path=${path}: cannot be read (${code}); ${advice}`, {
        cause: error,
      });
    }
  }
}

/** The line of a start that tells of it. */
export function configLine(path: string, config: Config | null): string {
  return config === null
    ? `Skipping non-existing --config-path=${path}`
    : `Load config from --config-path=${path}`;
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
