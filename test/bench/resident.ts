import { readFileSync } from 'node:fs';

/** The resident memory of a process, MB of 1,048,576 bytes. Of Linux; throws where there is none. */
export function residentMb(pid: number): number {
  const [, kb] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  // A process that has ended and is not waited for yet still has a status.
  if (kb === undefined) throw new Error(`process ${pid} has no memory any more`);
  return Number(kb) / 1_024;
}
