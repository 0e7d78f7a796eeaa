import type { Outputs } from './debian-outputs.ts';
import { FILES } from './debian-script.ts';
import { statusOf } from './debian-status.ts';
import { lastTry, TAIL_CHARS, uniqueLines } from './printed.ts';
import { EXIT_BUSY, EXIT_MISSING } from './shell.ts';
import { plainText, tail } from './text.ts';
import { BUSY, endInWords, NEVER_RAN, notedEnd, type UnitEnd, type Verdict } from './verdict.ts';

/**
 * What the unit's end and its outputs mean. The outputs decide where they are clear: a package
 * that is kept back by a question about its configuration is a fact about the package and no
 * failed run, and a package that is half installed is a failure, whatever the exit code says.
 */
export function judge(end: UnitEnd, outputs: Outputs, bootMs: number): Verdict {
  const unit = end ?? notedEnd(outputs.exitStatus);
  const status = statusOf(outputs, bootMs);
  const failed = (message: string): Verdict => ({ kind: 'failed', status, message });
  const exitCode = unit?.result === 'exit-code' ? unit.exitStatus : null;
  if (exitCode === EXIT_MISSING) {
    return failed('unattended-upgrade is not on the host: install the package unattended-upgrades');
  }
  if (exitCode === EXIT_BUSY) {
    return failed(BUSY);
  }
  const upgrade = lastTry(outputs.upgrade);
  const isDone = unit?.result === 'success' || (exitCode !== null && isOnlyHeldBack(upgrade));
  const cause = dpkgError(`${upgrade}\n${plainText(outputs.dpkg)}`) ?? brokenPackages(outputs);
  if (isDone && cause === null) return { kind: 'finished', status };
  const causes = [endInWords(unit), cause ?? neverRan(outputs, exitCode)].filter(
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

function neverRan(
  { update, upgrade, exitStatus }: Outputs,
  exitCode: number | null,
): string | null {
  const hasRun = `${update}${upgrade}${exitStatus}` !== '' || exitCode === null;
  return hasRun ? null : NEVER_RAN;
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
