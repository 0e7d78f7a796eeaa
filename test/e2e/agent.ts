import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { V1DaemonSet } from '@kubernetes/client-node';
import { type Cluster, poll } from '../cluster/cluster.ts';
import type { Host } from '../hosts/host.ts';
import { type Pod, startPod } from './pod.ts';

const LIMIT_MS = 120_000;
/** A pod that ends so often is broken. */
const STARTS_MAX = 10;
const ENDS = ['done', 'failed', 'stopped'];

/** The DaemonSet's pod on one node: started again whenever it ends, as a kubelet does. */
export interface Agent {
  /** What all its processes have written so far. */
  output(): string;
  /** Waits until its output matches. */
  says(pattern: RegExp): Promise<void>;
  /** Kills the process; another one is started. */
  kill9(): Promise<void>;
  /** Kills the process, once, as soon as it has written what matches. */
  killAt(pattern: RegExp): void;
  journal(): string;
  /** Waits until the run that began after the start has ended; how. */
  ends(): Promise<string>;
  /** Tells the process to stop, and starts no other one; its exit code. */
  stop(): Promise<number | string>;
  /** For the host around it: it goes down with its host, and starts when that is up again. */
  hostDown(): Promise<void>;
  hostUp(): void;
}

/** Starts it on a host that is up, with more flags than the DaemonSet has. */
export function startAgent(
  cluster: Cluster,
  host: Host,
  daemonSet: V1DaemonSet,
  node: string,
  flags: readonly string[],
): Agent {
  const journalPath = join(host.root, 'var/lib/host-upgrades/journal.ndjson');
  const last = () => lastRecord(journalPath);
  const before = last().run;
  let pod: Pod | null = null;
  let text = '';
  let watched: RegExp | null = null;
  let isStopped = false;
  let up = Promise.withResolvers<void>();
  up.resolve();
  let failure: Error | null = null;
  let code: number | string = 0;

  const runOnce = async () => {
    await up.promise;
    if (isStopped) return;
    pod = await startPod(cluster, host, daemonSet, node, flags);
    const { child } = pod;
    child.stdout?.on('data', (chunk: string) => {
      text += chunk;
      if (!watched?.test(text)) return;
      watched = null;
      child.kill('SIGKILL');
    });
    child.stderr?.on('data', (chunk: string) => {
      text += chunk;
    });
    code = await pod.ended();
    pod.remove();
    pod = null;
  };
  const run = async () => {
    for (let starts = 0; !isStopped; starts += 1) {
      if (starts >= STARTS_MAX)
        throw new Error(`the agent of ${node} ended ${starts} times:\n${text}`);
      await runOnce();
    }
  };
  const running = run().catch((error: Error) => {
    failure = error;
  });
  const until = (isSo: () => boolean, what: string) =>
    poll(async () => failure !== null || isSo(), LIMIT_MS).then(
      () => {
        if (failure) throw failure;
      },
      (error: Error) => {
        throw new Error(`${node}: ${error.message}, never ${what}:\n${text}`);
      },
    );
  const kill = async () => {
    pod?.child.kill('SIGKILL');
    await pod?.ended();
  };
  return {
    output: () => text,
    says: (pattern) => until(() => pattern.test(text), String(pattern)),
    kill9: kill,
    killAt(pattern) {
      watched = pattern;
    },
    journal: () => readFileSync(journalPath, 'utf8'),
    async ends() {
      await until(() => last().run !== before && ENDS.includes(last().state), 'an end of its run');
      return last().state;
    },
    async stop() {
      isStopped = true;
      up.resolve();
      pod?.child.kill('SIGTERM');
      await running;
      return code;
    },
    async hostDown() {
      up = Promise.withResolvers<void>();
      await kill();
    },
    hostUp: () => up.resolve(),
  };
}

/** The last whole line of a journal; empty where there is none. */
function lastRecord(path: string): { run: string; state: string } {
  if (!existsSync(path)) return { run: '', state: '' };
  const line = readFileSync(path, 'utf8').split('\n').at(-2);
  return line === undefined ? { run: '', state: '' } : JSON.parse(line);
}
