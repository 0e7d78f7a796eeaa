import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from '../cluster/build.ts';
import type { Cluster } from '../cluster/cluster.ts';

export interface Kubectl {
  /** What it wrote to standard output. Throws with the rest where it fails. */
  (args: string[], input?: unknown): string;
  remove(): void;
}

/** kubectl as the administrator of the cluster; objects for standard input go in as JSON. */
export function kubectlFor(cluster: Cluster): Kubectl {
  const cache = mkdtempSync(join(tmpdir(), 'kubectl-'));
  const run = (args: string[], input?: unknown) => {
    const given = [`--kubeconfig=${cluster.kubeconfig}`, `--cache-dir=${cache}`, ...args];
    const { status, stdout, stderr } = spawnSync(program('kubectl'), given, {
      encoding: 'utf8',
      input: input === undefined ? '' : JSON.stringify(input),
    });
    if (status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${status}\n${stdout}${stderr}`);
    return stdout;
  };
  return Object.assign(run, { remove: () => rmSync(cache, { recursive: true }) });
}
