import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { residentMb } from '../bench/resident.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Host } from '../hosts/host.ts';
import type { ImageConfig } from './image.ts';
import { container, daemonSet, podSpec } from './manifests.ts';

/** Where the image's root, the configuration and the account are on the host. */
const IMAGE = '/pod/image';
const CONFIG = '/pod/config';
const ACCOUNT = '/pod/account';
const ACCOUNT_MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * What kubelet and runtime do with the pod, by hand: SOURCE:PATH:MODE:TYPE … -- COMMAND. In mounts
 * of its own the volumes are bound into the image's root, that is made read-only, and the command
 * starts in it. Paths are resolved inside: the image's /var/run is a link.
 */
const RUN = `
fail() { echo "the pod cannot be started: $*" >&2; exit 125; }
root=${IMAGE}
mount --bind $root $root || fail "no mounts"
while [ "$1" != -- ]; do
  IFS=: read -r source path mode type <<END
$1
END
  shift
  [ "$type" = DirectoryOrCreate ] && mkdir -p "$source"
  [ -d "$source" ] || fail "no directory $source"
  inside=$root$(chroot $root realpath --canonicalize-missing "$path")
  mkdir -p "$inside" && mount --bind "$source" "$inside" || fail "$path"
  [ "$mode" = rw ] || mount -o remount,bind,ro "$inside" || fail "$path"
done
shift
mount -t proc proc $root/proc && mount --rbind /dev $root/dev || fail "no /proc and /dev"
mount -o remount,bind,ro $root || fail "not read-only"
exec chroot $root "$@"
`;

/** Root without a capability, and no way to gain one: the container's securityContext. */
const SECURITY = ['setpriv', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'];

/** A process of a pod; what it said so far. */
export interface Process {
  stdout(): string;
  stderr(): string;
  /** Its exit code. */
  ended(): Promise<number | null>;
  residentMb(): number;
  kill(signal: NodeJS.Signals): void;
}

export interface PodOptions {
  host: Host;
  cluster: Cluster;
  image: ImageConfig;
  /** The Node that the pod is scheduled to. */
  node: string;
  /** The token of its account. */
  token: string;
  /** The files of the ConfigMap. */
  config: Record<string, string>;
}

/** The folder on the host that the image's root goes to. */
export function imageFolder(host: Host): string {
  mkdirSync(join(host.root, '/pod'), { recursive: true });
  return join(host.root, IMAGE);
}

/**
 * Starts processes in the pod of the manifest on a real host. Not as in a cluster: AppArmor, SELinux
 * and seccomp, and the network, which is this machine's.
 */
export function createPod({ host, cluster, image, node, token, config }: PodOptions) {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(cluster.kubeconfig);
  const ca = Buffer.from(kubeConfig.getCurrentCluster()?.caData ?? '', 'base64').toString();
  writeFiles(join(host.root, CONFIG), config);
  writeFiles(join(host.root, ACCOUNT), { token, 'ca.crt': ca });
  const { hostname, port } = new URL(cluster.url);
  const service = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };

  const start = (command: string[], env: Record<string, string>): Process => {
    // /proc/PID/root, where PID is the host's init.
    const [, , init] = host.inside().split('/');
    // Not nsenter's own fork: it stops where its child is stopped, as a host does that goes down.
    const enter = ['nsenter', `--target=${init}`, '--mount', '--pid', '--no-fork', '--'];
    const pod = [...enter, 'unshare', '--mount', '--fork', '--kill-child'];
    const [program = '', ...args] = [
      ...pod,
      'sh',
      '-c',
      RUN,
      'pod',
      ...mounts(),
      '--',
      ...SECURITY,
    ];
    const child = spawn(program, [...args, ...command], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    return follow(child);
  };
  const variables = { ...fromImage(image), ...fromManifest(node), ...service };
  return {
    /** The image's program with the flags given. */
    run: (flags: string[], env: Record<string, string> = {}) =>
      start([...(image.Entrypoint ?? []), ...flags], { ...variables, ...env }),
    /** Another program of the image. */
    exec: (...command: string[]) => start(command, variables),
  };
}

/** SOURCE:PATH:MODE:TYPE of each volume, and of what Kubernetes mounts by itself. */
function mounts(): string[] {
  const volumes = new Map((podSpec().volumes ?? []).map((volume) => [volume.name, volume]));
  const own = (container().volumeMounts ?? []).map(({ name, mountPath, readOnly }) => {
    const { path = CONFIG, type = 'Directory' } = volumes.get(name)?.hostPath ?? {};
    return [path, mountPath, readOnly ? 'ro' : 'rw', type].join(':');
  });
  return [...own, [ACCOUNT, ACCOUNT_MOUNT, 'ro', 'Directory'].join(':')];
}

function fromImage({ Env = [] }: ImageConfig): Record<string, string> {
  return Object.fromEntries(Env.map((text) => text.split(/=(.*)/s).slice(0, 2)));
}

function fromManifest(node: string): Record<string, string> {
  const fields: Record<string, string> = {
    'spec.nodeName': node,
    'metadata.namespace': daemonSet().metadata?.namespace ?? '',
  };
  const env = container().env ?? [];
  return Object.fromEntries(
    env.map(({ name, value, valueFrom }) => [
      name,
      value ?? fields[valueFrom?.fieldRef?.fieldPath ?? ''] ?? '',
    ]),
  );
}

function writeFiles(folder: string, files: Record<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

function follow(child: ChildProcess): Process {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      texts[name] += chunk;
    });
  }
  const closed = once(child, 'close');
  const exited = once(child, 'exit');
  // unshare's child, which has become one program after the other.
  const pid = () => {
    if (child.exitCode !== null) throw new Error(`it has ended:\n${texts.stdout}${texts.stderr}`);
    return Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'));
  };
  const stop = () => child.kill('SIGKILL');
  process.once('exit', stop);
  void exited.then(() => process.off('exit', stop));
  return {
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    ended: async () => (await closed)[0],
    residentMb: () => residentMb(pid()),
    kill: (signal) => void process.kill(pid(), signal),
  };
}
