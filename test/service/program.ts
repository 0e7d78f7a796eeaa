import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { poll } from '../cluster/cluster.ts';
import type { Host } from '../hosts/host.ts';
import { configPath } from '../hosts/program.ts';
import { createDaemonSet, createNode, daemonSetPath } from '../kube/objects.ts';

export const BIN = fileURLToPath(new URL('../../src/host-upgrades', import.meta.url));
const LIMIT_MS = 60_000;

/** The program as it runs on a node: its own process, a real API server, a real host. */
export interface Node {
  name: string;
  statePath: string;
  /** Starts the program with more flags. */
  start(...flags: string[]): Program;
  lock(): Promise<string | undefined>;
  condition(type: string): Promise<Record<string, string> | undefined>;
  remove(): void;
}

export interface Program {
  child: ChildProcess;
  /** What it has written so far, both streams. */
  output(): string;
  /** Waits until its output matches. */
  says(pattern: RegExp): Promise<void>;
  /** Its exit code, or the signal that ended it. */
  ended(): Promise<number | string>;
}

/** Creates the Node and the DaemonSet `name` for a program on `host`. */
export async function createProgramNode(
  cluster: Cluster,
  host: Host,
  name: string,
  annotations: Record<string, string> = {},
): Promise<Node> {
  await createDaemonSet(cluster, name, annotations);
  await createNode(cluster, name);
  const statePath = mkdtempSync(join(tmpdir(), 'state-'));
  const flags = [
    '--kube-namespace=kube-system',
    `--kube-daemonset=${name}`,
    `--kube-node=${name}`,
    `--kubeconfig=${cluster.kubeconfig}`,
    `--state-path=${statePath}`,
    `--host-mount=${host.mount}`,
    `--config-path=${configPath(host)}`,
  ];
  return {
    name,
    statePath,
    start: (...more) => startProgram([...flags, ...more], { DBUS_SYSTEM_BUS_ADDRESS: host.bus() }),
    async lock() {
      const { body } = await cluster.request(daemonSetPath(name));
      return body.metadata.annotations?.[LOCK_ANNOTATION];
    },
    async condition(type) {
      const { body } = await cluster.request(`/api/v1/nodes/${name}`);
      return body.status.conditions?.find((condition: { type: string }) => condition.type === type);
    },
    remove: () => rmSync(statePath, { recursive: true, force: true }),
  };
}

export function startProgram(flags: string[], env: NodeJS.ProcessEnv = {}): Program {
  return startCommand([BIN, ...flags], { ...process.env, TZ: 'UTC', ...env });
}

/** The program where it is started by another one, such as a container's runtime. */
export function startCommand([path = '', ...args]: string[], env: NodeJS.ProcessEnv): Program {
  const child = spawn(path, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  const exited = once(child, 'close');
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const stop = () => child.kill('SIGKILL');
  process.once('exit', stop);
  void exited.then(() => process.off('exit', stop));
  return {
    child,
    output: () => text,
    async says(pattern) {
      const isSaid = async () => {
        if (pattern.test(text)) return true;
        if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}:\n${text}`);
        return false;
      };
      await poll(isSaid, LIMIT_MS).catch((error: Error) => {
        throw new Error(`${error.message}, never ${pattern}:\n${text}`);
      });
    },
    async ended() {
      const [code, signal] = await exited;
      return code ?? signal;
    },
  };
}

/** The journal of a node, as it is on the disk. */
export function journalOf({ statePath }: Node): string {
  return readFileSync(join(statePath, 'journal.ndjson'), 'utf8');
}
