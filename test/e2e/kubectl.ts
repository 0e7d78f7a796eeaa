import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { program } from '../cluster/build.ts';
import type { Cluster } from '../cluster/cluster.ts';

/** Runs kubectl as the administrator; what it wrote, errors too. Throws where it fails. */
export async function kubectl(cluster: Cluster, ...args: string[]): Promise<string> {
  const all = [`--kubeconfig=${cluster.kubeconfig}`, ...args];
  const { stdout, stderr } = await promisify(execFile)(program('kubectl'), all);
  return stdout + stderr;
}
