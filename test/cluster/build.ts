import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildInto, cachePath } from '../cache.ts';
import { notBuilt } from '../requires.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const KUBERNETES_VERSION = 'v1.34.0';
const PROGRAMS = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
};
type Program = keyof typeof PROGRAMS;

/** Where the control plane's programs are, or would be: KUBEBUILDER_ASSETS, else the cache. */
export function assetsFolder(): string {
  return (
    process.env.KUBEBUILDER_ASSETS ?? cachePath('control-plane', read('go.mod'), read('go.sum'))
  );
}

/** Why the control plane cannot be started here, or '' where it can (perhaps after a build). */
export function missing(): string {
  const failed = process.env[notBuilt('cluster')];
  if (failed) return failed;
  const folder = assetsFolder();
  if (Object.keys(PROGRAMS).every((name) => existsSync(join(folder, name)))) return '';
  if (process.env.KUBEBUILDER_ASSETS) return `no etcd and kube-apiserver in ${folder}`;
  return spawnSync('go', ['version']).status === 0
    ? ''
    : 'neither Go nor KUBEBUILDER_ASSETS is there';
}

/** Builds what is missing (minutes when cold) and returns the path of a program. */
export function program(name: Program): string {
  const folder = assetsFolder();
  if (!existsSync(folder)) buildInto(folder, build);
  return join(folder, name);
}

function build(folder: string): void {
  for (const [name, path] of Object.entries(PROGRAMS)) {
    process.stderr.write(`building ${name} (once, into the cache)...\n`);
    const version = `-X k8s.io/component-base/version.gitVersion=${KUBERNETES_VERSION}`;
    execFileSync(
      'go',
      ['build', '-trimpath', '-ldflags', `-s -w ${version}`, '-o', join(folder, name), path],
      {
        cwd: HERE,
        env: { ...process.env, CGO_ENABLED: '0' },
        stdio: ['ignore', 'inherit', 'inherit'],
      },
    );
  }
}

function read(name: string): string {
  return readFileSync(join(HERE, name), 'utf8');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${program('kube-apiserver')}\n`);
}
