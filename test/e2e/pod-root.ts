import {
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { V1Volume } from '@kubernetes/client-node';
import type { Cluster } from '../cluster/cluster.ts';
import type { Host } from '../hosts/host.ts';

/** What an image has besides its programs: those are in /usr, to which these are links. */
const LINKS = ['bin', 'sbin', 'lib', 'lib32', 'lib64'];
const FOLDERS = ['usr', 'dev', 'proc', 'etc', 'run', 'tmp', 'var/lib'];

/** Makes a container's root, with the places where this machine's programs are mounted. */
export function makeRoot(root: string, repository: string): void {
  for (const name of [...FOLDERS, repository]) mkdirSync(join(root, name), { recursive: true });
  symlinkSync('/run', join(root, 'var/run'));
  for (const name of LINKS) {
    const path = `/${name}`;
    if (!existsSync(path)) continue;
    if (!lstatSync(path).isSymbolicLink()) throw new Error(`${path} is not in /usr`);
    symlinkSync(readlinkSync(path), join(root, name));
  }
}

export function writeFiles(folder: string, files: Record<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/**
 * Puts a volume into a container's root at `mountPath`. A host's directory is in a mount namespace
 * that this machine cannot mount from: it is a link to it, and so never read-only.
 */
export async function mountVolume(
  cluster: Cluster,
  host: Host,
  { name, configMap, hostPath }: V1Volume,
  root: string,
  mountPath: string,
): Promise<void> {
  const path = join(root, withoutLinks(mountPath));
  mkdirSync(dirname(path), { recursive: true });
  if (hostPath) {
    if (hostPath.type === 'DirectoryOrCreate') host.exec('mkdir', '-p', hostPath.path);
    symlinkSync(join(host.inside(), withoutLinks(hostPath.path)), path);
  } else if (configMap) {
    const { body } = await cluster.request(
      `/api/v1/namespaces/kube-system/configmaps/${configMap.name}`,
    );
    writeFiles(path, body.data);
  } else {
    throw new Error(`volume ${name} is of an unknown kind`);
  }
}

/** /var/run is a link to /run in every root, and would lead out of it. */
function withoutLinks(path: string): string {
  return path.replace(/^\/var\/run\//, '/run/');
}
