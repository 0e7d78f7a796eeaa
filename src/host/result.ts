import { constants } from 'node:os';
import type { HostStatus } from '../../machines/events.ts';
import { readAptLog, summaryLines } from './apt-log.ts';
import { EXIT_BUSY, EXIT_MISSING, FILES, WAITING } from './script.ts';
import type { UnitState } from './systemd.ts';
import { plainText, tail } from './text.ts';

/** What an upgrade left behind, as read from the host mount. */
export interface Outputs {
  /** What apt-get update and unattended-upgrade printed. */
  update: string;
  upgrade: string;
  /** What dpkg wrote into its log in this run: unattended-upgrade may not show all of it. */
  dpkg: string;
  /** The packages that are neither installed nor removed but in between, a line each. */
  broken: string;
  /** The stamp that says a reboot is required, or null where there is none. */
  reboot: { text: string; sinceNs: bigint } | null;
  rebootPackages: string;
  /** The running kernel and the newest one in /boot, a line each. */
  kernels: string;
  /** The script's own exit status, or '' where it was killed. */
  exitStatus: string;
  /** The unit's lines in the host's journal, where they could be read. */
  journal: string;
}

export type Verdict =
  | { kind: 'finished'; status: HostStatus }
  | { kind: 'failed'; status: HostStatus; message: string };

/** How the unit ended; null where somebody unloaded it before that was read. */
export type UnitEnd = Pick<UnitState, 'result' | 'exitStatus'> | null;

/** How many characters of an output's end are kept in an event. */
export const TAIL_CHARS = 4_096;

/**
 * What the unit's end and its outputs mean. The outputs decide where they are clear: a package
 * that is kept back by a question about its configuration is a fact about the package and no
 * failed run, and a package that is half installed is a failure, whatever the exit code says.
 */
export function judge(end: UnitEnd, outputs: Outputs, bootMs: number): Verdict {
  const unit = end ?? ownEnd(outputs);
  const status = statusOf(outputs, bootMs);
  const failed = (message: string): Verdict => ({ kind: 'failed', status, message });
  const exitCode = unit?.result === 'exit-code' ? unit.exitStatus : null;
  if (exitCode === EXIT_MISSING) {
    return failed('unattended-upgrade is not on the host: install the package unattended-upgrades');
  }
  if (exitCode === EXIT_BUSY) {
    return failed('package manager busy: another apt or dpkg held its lock all the time');
  }
  const upgrade = lastTry(outputs.upgrade);
  const isDone = unit?.result === 'success' || (exitCode !== null && isOnlyHeldBack(upgrade));
  const cause = dpkgError(`${upgrade}\n${plainText(outputs.dpkg)}`) ?? brokenPackages(outputs);
  if (isDone && cause === null) return { kind: 'finished', status };
  const causes = [endOf(unit), cause ?? neverRan(outputs, exitCode)].filter(
    (text) => text !== null,
  );
  const program = programOf(outputs, cause);
  const shown = [upgrade, lastTry(outputs.update), outputs.journal].find((text) => text.trim());
  const output = shown === undefined ? '' : `\n${tail(shown.trimEnd(), TAIL_CHARS)}`;
  return failed(`Failed to run ${program}: ${causes.join(': ')}${output}`);
}

/** What was at work when it ended. */
function programOf({ update, upgrade }: Outputs, cause: string | null): string {
  if (upgrade !== '' || cause !== null) return 'unattended-upgrades';
  return update === '' ? FILES.script : 'apt-get update';
}

/** The script writes into the host mount before anything else. */
function neverRan(
  { update, upgrade, exitStatus }: Outputs,
  exitCode: number | null,
): string | null {
  const hasRun = `${update}${upgrade}${exitStatus}` !== '' || exitCode === null;
  return hasRun ? null : 'is --host-mount the same directory on the host?';
}

function ownEnd({ exitStatus }: Outputs): UnitEnd {
  const code = exitStatus.trim();
  if (code === '') return null;
  return { result: code === '0' ? 'success' : 'exit-code', exitStatus: Number(code) };
}

/** The unit's end in words, or null for a good one. */
function endOf(unit: UnitEnd): string | null {
  if (unit === null) return 'its unit was removed from the host and left no result';
  const { result, exitStatus } = unit;
  if (result === 'success') return null;
  if (result === 'exit-code') return `exit status ${exitStatus}`;
  const signal = Object.entries(constants.signals).find(([, number]) => number === exitStatus);
  return result === 'signal' || result === 'core-dump'
    ? `killed by ${signal?.[0] ?? `signal ${exitStatus}`}`
    : result;
}

/** dpkg's own words about what went wrong: then packages may be half installed. */
function dpkgError(log: string): string | null {
  const detail = /^dpkg: error processing .*\n.*/m.exec(log);
  const code = /^.*dpkg returned an? error.*$/m.exec(log);
  const words = (detail ?? code)?.[0];
  if (words === undefined) return null;
  const noSpace = /^.*No space left on device.*$/m.exec(log)?.[0];
  const lines = [...(noSpace === undefined ? [] : [`${noSpace};`]), ...words.split('\n')];
  return lines.map((line) => line.trim()).join(' ');
}

function brokenPackages({ broken }: Outputs): string | null {
  const names = uniqueLines(broken);
  if (names.length === 0) return null;
  return `half installed: ${names.join(', ')}; run dpkg --configure -a on the host`;
}

/** That and nothing else made the exit code. */
function isOnlyHeldBack(upgrade: string): boolean {
  const errors =
    /^(E:|Traceback|An error occurred|Apt returned an error|GetArchives\(\) failed|fetch\.run\(\) result|Installing the upgrades failed|Auto-removing the packages failed|Cache has broken packages|Download finished, but)|failed to download, aborting|No space left on device/im;
  return /^Package \S+ has conffile prompt/m.test(upgrade) && !errors.test(upgrade);
}

/** What was printed after the last wait for another apt. */
function lastTry(output: string): string {
  const lines = plainText(output).split('\n');
  return lines.slice(lines.findLastIndex((line) => line.startsWith(WAITING)) + 1).join('\n');
}

function statusOf(outputs: Outputs, bootMs: number): HostStatus {
  const { reboot } = outputs;
  const upgrade = tail(lastTry(outputs.upgrade), TAIL_CHARS);
  const since = reboot?.sinceNs ?? null;
  // Any of the two may lack lines: one shows what it had the time to, the other only dpkg's.
  const log = readAptLog(`${lastTry(outputs.upgrade)}\n${plainText(outputs.dpkg)}`);
  const notes = [...summaryLines(log), ...kernelNote(outputs)];
  return {
    rebootRequired: reboot !== null,
    detail: conditionDetail(since, plainText(reboot?.text ?? ''), upgrade),
    rebootMessage: reboot === null ? '' : rebootText(reboot.text, outputs.rebootPackages),
    output: [upgrade.trimEnd(), ...notes].filter((text) => text !== '').join('\n'),
    bootMs,
    ...(since === null ? {} : { sinceMs: Number(since / 1_000_000n) }),
  };
}

/** The status of an upgrade that did not get as far as to have one. */
export function noStatus(bootMs: number): HostStatus {
  return { rebootRequired: false, detail: conditionDetail(null, '', ''), bootMs };
}

/** As the original's condition line shows its status: since, message and output, as they are. */
function conditionDetail(sinceNs: bigint | null, message: string, output: string): string {
  return `${goTime(sinceNs)} ${message} ${output}`;
}

function rebootText(text: string, packages: string): string {
  const names = uniqueLines(packages);
  const list = names.length === 0 ? '' : ` (${names.join(', ')})`;
  return `${plainText(text).trim()}${list}`;
}

/** Each once, in their order: the packages that asked for a reboot repeat themselves. */
function uniqueLines(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}

/** On plain Debian nothing asks for a reboot, also where a newer kernel waits for one. */
function kernelNote({ reboot, kernels }: Outputs): string[] {
  const [running = '', newest = ''] = kernels.split('\n');
  if (reboot !== null || newest === '' || running === newest) return [];
  return [`Kernel ${newest} is installed and ${running} is running: a reboot may be due`];
}

/** A time as the original's log writes it; null is Go's zero time. */
function goTime(ns: bigint | null): string {
  if (ns === null) return '0001-01-01 00:00:00 +0000 UTC';
  const fraction = `${ns % 1_000_000_000n}`.padStart(9, '0').replace(/0+$/, '');
  const [date, time = ''] = new Date(Number(ns / 1_000_000n)).toISOString().split('T');
  return `${date} ${time.slice(0, 8)}${fraction === '' ? '' : `.${fraction}`} +0000 UTC`;
}
