import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { program } from '../cluster/build.ts';
import type { Cluster } from '../cluster/cluster.ts';

/** Runs kubectl as the administrator; what it wrote, errors too. Throws where it fails. */
export async function kubectl(cluster: Cluster, args: string[], input = ''): Promise<string> {
  const all = [`--kubeconfig=${cluster.kubeconfig}`, ...args];
  const child = spawn(program('kubectl'), all, { stdio: 'pipe' });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout + stderr;
}
