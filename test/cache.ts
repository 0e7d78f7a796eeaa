import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder for what is built once: outside git, HOST_UPGRADES_CACHE or ~/.cache/host-upgrades. */
export function cacheFolder(): string {
  const base = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return process.env.HOST_UPGRADES_CACHE ?? join(base, 'host-upgrades');
}

/** A cache entry's path, keyed by what it is built from. */
export function cachePath(name: string, ...builtFrom: (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of builtFrom) hash.update(part).update('\0');
  return join(cacheFolder(), `${name}-${hash.digest('hex').slice(0, 16)}`);
}

/** Builds into a folder beside `path` and renames it, so that a half-built entry is never found. */
export function buildInto(path: string, build: (folder: string) => void): void {
  const folder = `${path}.building-${process.pid}`;
  mkdirSync(folder, { recursive: true });
  try {
    build(folder);
    // Another process may have built the same in the meantime.
    if (!existsSync(path)) renameSync(folder, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
