import type { HostStatus } from '../../machines/events.ts';
import { EXIT_BUSY, EXIT_MISSING } from './script.ts';
import type { UnitResult } from './systemd.ts';

/** What an upgrade left behind, as read from the host mount. */
export interface Outputs {
  update: string;
  upgrade: string;
  /** The text of the reboot-required stamp, or null where there is none. */
  reboot: string | null;
  /** The stamp's time, ms since the epoch. */
  rebootMs: number | null;
  rebootPackages: string;
  /** The running kernel and the newest one in /boot, a line each. */
  kernels: string;
  /** The unit's own lines in the host's journal, where they could be read. */
  journal: string;
}

export type Verdict =
  | { kind: 'finished'; status: HostStatus }
  | { kind: 'failed'; status: HostStatus; message: string };

/** How many characters of an output's end are kept in an event. */
export const TAIL_CHARS = 4_096;

/**
 * What the unit's end and its outputs mean. A package that is kept back by a question about its
 * configuration is a fact about the package, not a failed run, whatever the exit code says.
 */
export function judge(unit: UnitResult, outputs: Outputs, bootMs: number): Verdict {
  const status = statusOf(outputs, bootMs);
  const { result, exitStatus } = unit;
  if (result === 'success') return { kind: 'finished', status };
  const failed = (message: string): Verdict => ({ kind: 'failed', status, message });
  if (result === 'exit-code' && exitStatus === EXIT_MISSING) {
    return failed('unattended-upgrade is not on the host: install the package unattended-upgrades');
  }
  if (result === 'exit-code' && exitStatus === EXIT_BUSY) {
    return failed('package manager busy: another apt or dpkg held its lock all the time');
  }
  const dpkg = dpkgError(outputs.upgrade);
  if (dpkg === null && result === 'exit-code' && isOnlyHeldBack(outputs.upgrade)) {
    return { kind: 'finished', status };
  }
  const ended =
    result === 'exit-code' ? `exit status ${exitStatus}` : `${result}, status ${exitStatus}`;
  const cause = dpkg === null ? '' : `: ${dpkg}`;
  const program = outputs.upgrade === '' ? 'apt-get update' : 'unattended-upgrades';
  const shown = outputs.upgrade || outputs.update || outputs.journal;
  const output = shown.trim() === '' ? '' : `\n${tail(shown)}`;
  return failed(`Failed to run ${program}: ${ended}${cause}${output}`);
}

/** dpkg's own line about what went wrong: then packages may be half installed. */
function dpkgError(output: string): string | null {
  const lines = output.split(/[\r\n]+/);
  const line = lines.find((text) =>
    /dpkg returned an error code|Sub-process \S*dpkg\S* returned an error|dpkg: error processing|No space left on device/.test(
      text,
    ),
  );
  return line?.trim() ?? null;
}

const HELD_BACK = /conffile prompt|has a conffile/i;

function isOnlyHeldBack(output: string): boolean {
  const errors = /^(ERROR|Traceback|E:)|installing the upgrades failed/im;
  return HELD_BACK.test(output) && !errors.test(output);
}

function statusOf(outputs: Outputs, bootMs: number): HostStatus {
  const rebootRequired = outputs.reboot !== null;
  const sinceMs = outputs.rebootMs;
  const rebootMessage = rebootRequired ? rebootText(outputs) : '';
  const output = [tail(outputs.upgrade), kernelNote(outputs)]
    .filter((text) => text !== '')
    .join('\n');
  return {
    rebootRequired,
    detail: `${goTime(sinceMs)} ${rebootMessage} ${output}`,
    rebootMessage,
    output,
    bootMs,
    ...(sinceMs === null ? {} : { sinceMs }),
  };
}

function rebootText({ reboot, rebootPackages }: Outputs): string {
  const packages = packageNames(rebootPackages);
  const list = packages.length === 0 ? '' : ` (${packages.join(', ')})`;
  return `${(reboot ?? '').trim()}${list}`;
}

/** The packages that asked for the reboot: each once, in the order in which they asked. */
export function packageNames(text: string): string[] {
  const names = text.split('\n').map((line) => line.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}

/** On plain Debian nothing asks for a reboot, also where a newer kernel waits for one. */
function kernelNote({ reboot, kernels }: Outputs): string {
  const [running = '', newest = ''] = kernels.split('\n');
  if (reboot !== null || newest === '' || running === newest) return '';
  return `Kernel ${newest} is installed and ${running} is running: a reboot may be due`;
}

/** The end of an output, whole lines; carriage returns of progress bars end lines too. */
export function tail(output: string): string {
  const text = output.replaceAll(/\r\n?/g, '\n').trim();
  if (text.length <= TAIL_CHARS) return text;
  const end = text.slice(-TAIL_CHARS);
  return end.slice(end.indexOf('\n') + 1);
}

/** A time as the original's log writes it; null is Go's zero time. */
function goTime(ms: number | null): string {
  if (ms === null) return '0001-01-01 00:00:00 +0000 UTC';
  const [date, time = ''] = new Date(ms).toISOString().split('T');
  return `${date} ${time.slice(0, -1).replace(/\.?0+$/, '')} +0000 UTC`;
}
