import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { residentMb } from '../bench/resident.ts';

/** What a process takes of its machine. */
export interface Sample {
  atMs: number;
  residentMb: number;
  /** Open descriptors of all kinds, and the sockets among them. */
  files: number;
  sockets: number;
  /** User and system time since its start. */
  cpuS: number;
}

/** Of Linux; what /proc counts CPU time in. */
const TICKS_A_SECOND = 100;

/** Reads /proc; throws where there is no such process. */
export function sampleOf(pid: number, atMs: number): Sample {
  // The name, in parentheses, may have blanks.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const cpuS = (Number(stat[11]) + Number(stat[12])) / TICKS_A_SECOND;
  const targets = readdirSync(`/proc/${pid}/fd`).map((name) => targetOf(pid, name));
  const files = targets.filter((target) => target !== null).length;
  const sockets = targets.filter((target) => target?.startsWith('socket:')).length;
  return { atMs, residentMb: residentMb(pid), files, sockets, cpuS };
}

/** null: closed since it was listed. */
function targetOf(pid: number, name: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/fd/${name}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
