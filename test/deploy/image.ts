import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './manifests.ts';
import { standIn } from './stand-in.ts';

/** As much of an image's configuration as there is to look at. */
export interface ImageConfig {
  Entrypoint?: string[];
  Cmd?: string[];
  User?: string;
  Env?: string[];
  Labels?: Record<string, string>;
  Healthcheck?: unknown;
}

/** Images built from the Dockerfile, in a store of their own. */
export interface Images {
  /** Builds `tag` anew, whatever was built before. */
  build(tag: string): void;
  /** The digest of the configuration, which holds those of all layers. */
  id(tag: string): string;
  config(tag: string): ImageConfig;
  /** Copies the root file system to `into`, which must not be there yet. */
  unpack(tag: string, into: string): void;
  remove(): void;
}

export function createImages(): Images {
  const folder = mkdtempSync(join(tmpdir(), 'images-'));
  const store = [
    `--root=${join(folder, 'root')}`,
    `--runroot=${join(folder, 'run')}`,
    `--storage-opt=overlay.imagestore=${standIn()}`,
  ];
  const buildah = (...args: string[]) => {
    const options = { encoding: 'utf8', maxBuffer: 2 ** 26, stdio: 'pipe' } as const;
    return execFileSync('buildah', [...store, ...args], options).trim();
  };
  const inspect = (tag: string): { FromImageID: string; OCIv1: { config: ImageConfig } } =>
    JSON.parse(buildah('inspect', '--type=image', tag));
  return {
    build(tag) {
      // A network and a cache of npm's downloads are there, as on any machine that builds it.
      const how = ['--isolation=chroot', '--pull-never', '--no-cache', '--timestamp=0'];
      buildah('build', '--quiet', ...how, `--tag=${tag}`, ROOT);
    },
    id: (tag) => inspect(tag).FromImageID,
    config: (tag) => inspect(tag).OCIv1.config,
    unpack(tag, into) {
      const container = buildah('from', '--pull-never', tag);
      execFileSync('cp', ['-a', buildah('mount', container), into]);
      buildah('rm', container);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
