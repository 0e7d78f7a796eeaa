import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import { startApiServer } from '../../src/rehearsal/apiserver.ts';
import { type Cluster, kubeconfig } from '../cluster/cluster.ts';
import { startHost } from '../hosts/host.ts';
import { CONFIG, configPath, writeConfig } from '../hosts/program.ts';
import { createProgramNode, startProgram } from '../service/program.ts';
import { PROCESS } from './peers.ts';
import { table } from './table.ts';
import { percentile } from './turns.ts';

const TIMES = 9;

/** One process on a real host: what it costs while it waits, and how soon it asks its first question. */
export async function benchProcess(cluster: Cluster, write: (text: string) => void) {
  write('\nOne process on a real host\n\n');
  const host = await startHost();
  try {
    writeConfig(host, CONFIG);
    const node = await createProgramNode(cluster, host, 'bench', { [LOCK_ANNOTATION]: 'other' });
    const program = node.start();
    await program.says(/: watch v1.ListOptions/);
    const waitingMb = residentMb(program.child.pid);
    program.child.kill('SIGTERM');
    await program.ended();
    node.remove();
    const flags = [`--host-mount=${host.mount}`, `--config-path=${configPath(host)}`];
    const firstMs = await firstRequestsMs(flags, { DBUS_SYSTEM_BUS_ADDRESS: host.bus() });
    const bare = bareNode();
    const rows = [
      ['resident, waiting, MB', waitingMb.toFixed(0), bare.residentMb.toFixed(0)],
      [
        'exec to first API request, median ms',
        percentile(firstMs, 0.5).toFixed(0),
        bare.scriptMs.toFixed(0),
      ],
    ];
    write(
      table([
        ['', 'this', 'bare Node', 'Go program', 'kured', 'bare Node then'],
        ...rows.map((row) => {
          const peer = PROCESS[row[0] ?? ''];
          return [...row, peer?.go ?? '', peer?.kured ?? '', peer?.bareNode ?? ''];
        }),
      ]),
    );
  } finally {
    await host.stop();
  }
}

function residentMb(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}

/** From spawning the program to its first request at an API server, ms. */
async function firstRequestsMs(flags: string[], env: NodeJS.ProcessEnv): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  let onRequest = () => {};
  const server = await startApiServer({ token: 'bench', faults: { before: () => onRequest() } });
  const path = join(folder, 'kubeconfig');
  writeFileSync(path, kubeconfig(server.url, null, 'bench'));
  const firstMs: number[] = [];
  for (let time = 1; time <= TIMES; time += 1) {
    const startedMs = performance.now();
    const asked = new Promise<void>((resolve) => {
      onRequest = resolve;
    });
    const program = startProgram(
      [
        ...flags,
        '--kube-namespace=kube-system',
        '--kube-daemonset=bench',
        '--kube-node=bench',
        `--kubeconfig=${path}`,
        `--state-path=${join(folder, 'state')}`,
      ],
      env,
    );
    await asked;
    firstMs.push(performance.now() - startedMs);
    await program.ended();
  }
  await server.close();
  rmSync(folder, { recursive: true });
  return firstMs;
}

function bareNode(): { residentMb: number; scriptMs: number } {
  const script = 'process.stdout.write(String(process.memoryUsage.rss()))';
  const times: number[] = [];
  let residentMb = 0;
  for (let time = 1; time <= TIMES; time += 1) {
    const startedMs = performance.now();
    const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    times.push(performance.now() - startedMs);
    residentMb = Number(stdout) / 1_048_576;
  }
  return { residentMb, scriptMs: percentile(times, 0.5) };
}
