import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { residentMb } from './resident.ts';

const SCRIPT = "process.stdout.write('up'); setInterval(() => {}, 1e9);";

/** The resident memory of a Node that does nothing, MB: what all others are measured by. */
export async function bareNodeMb(): Promise<number> {
  const child = spawn(process.execPath, ['-e', SCRIPT], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(child.stdout, 'data');
    return residentMb(child.pid as number);
  } finally {
    child.kill();
  }
}
