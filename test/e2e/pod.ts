import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { V1Container, V1DaemonSet } from '@kubernetes/client-node';
import type { Cluster } from '../cluster/cluster.ts';
import type { Host } from '../hosts/host.ts';
import { BIN, type Program, startCommand } from '../service/program.ts';
import { makeRoot, mountVolume, writeFiles } from './pod-root.ts';
import { tokenOf } from './service-account.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const SERVICE_ACCOUNT = '/run/secrets/kubernetes.io/serviceaccount';

/** A pod's container at work: the program in a root of its own. */
export interface Pod extends Program {
  /** Removes its root, once it has ended. */
  remove(): void;
}

// The mounts are in a namespace of their own and end with the process, which keeps its pid
// throughout. The boot id is the host's own: its kernel is this machine's.
const RUN = `
root=$1 repository=$2
shift 2
for path in /usr /dev /proc "$repository"; do mount --bind "$path" "$root$path"; done
mount --bind "$root/boot_id" "$root/proc/sys/kernel/random/boot_id"
exec chroot "$root" "$@"
`;

/**
 * Starts the DaemonSet's container on a node as its kubelet would: with its arguments (`more` at
 * their end) and environment, the host's directories where it mounts them, and its pod's token.
 */
export async function startPod(
  cluster: Cluster,
  host: Host,
  daemonSet: V1DaemonSet,
  node: string,
  more: readonly string[] = [],
): Promise<Pod> {
  const spec = daemonSet.spec?.template.spec;
  const container = spec?.containers[0];
  if (spec === undefined || container === undefined) throw new Error('a DaemonSet without pods');
  const credentials = await tokenOf(cluster, daemonSet, node);
  const root = mkdtempSync(join(tmpdir(), 'pod-'));
  makeRoot(root, REPOSITORY);
  writeFiles(root, { boot_id: `${host.bootId()}\n` });
  writeFiles(join(root, SERVICE_ACCOUNT), credentials);
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    const volume = spec.volumes?.find((one) => one.name === name);
    if (volume === undefined) throw new Error(`no volume ${name}`);
    await mountVolume(cluster, host, volume, root, mountPath);
  }
  const { hostname, port } = new URL(cluster.url);
  const program = startCommand(
    [
      'unshare',
      '--mount',
      'sh',
      '-ec',
      RUN,
      'sh',
      root,
      REPOSITORY,
      BIN,
      ...(container.args ?? []),
      ...more,
    ],
    {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
      ...environment(container, daemonSet, node),
    },
  );
  return { ...program, remove: () => rmSync(root, { recursive: true, force: true }) };
}

function environment(
  { env = [] }: V1Container,
  { metadata }: V1DaemonSet,
  node: string,
): Record<string, string> {
  const fields: Record<string, string | undefined> = {
    'metadata.namespace': metadata?.namespace,
    'spec.nodeName': node,
  };
  return Object.fromEntries(
    env.map(({ name, value, valueFrom }) => {
      const text = value ?? fields[valueFrom?.fieldRef?.fieldPath ?? ''];
      if (text === undefined) throw new Error(`the variable ${name} has no value here`);
      return [name, text];
    }),
  );
}
