import type { HostStatus } from '../../machines/events.ts';
import type { Family, Outcome } from './family.ts';
import { changeLines, packageChanges } from './packages.ts';
import { lastTry, TAIL_CHARS } from './printed.ts';
import { REPORT, type Report } from './report.ts';
import { EXIT_BUSY, EXIT_MISSING, WAITING } from './shell.ts';
import { conditionDetail } from './status.ts';
import { tail } from './text.ts';
import { BUSY, endInWords, NEVER_RAN, notedEnd, type UnitEnd, type Verdict } from './verdict.ts';

/** What the unit's end and its report mean. */
export function judgeReport(family: Family, end: UnitEnd, report: Report, bootMs: number): Verdict {
  const unit = end ?? notedEnd(report.exitStatus);
  const exitCode = exitCodeOf(unit);
  const upgrade = lastTry(report.upgrade);
  const outcome = family.outcome(upgrade, exitCode);
  const status = statusOf(family, outcome, report, bootMs);
  const failed = (message: string): Verdict => ({ kind: 'failed', status, message });
  if (exitCode === EXIT_MISSING && report.missing !== '') {
    const missing = report.missing.replace(' ', ' is not on the host: install the package ');
    return failed(missing);
  }
  const hasWaited = `${report.update}${report.upgrade}`.includes(WAITING);
  if (exitCode === EXIT_BUSY && hasWaited) return failed(BUSY);
  if (outcome.isDone) return { kind: 'finished', status };
  const hasRun = `${report.update}${report.upgrade}${report.exitStatus}` !== '';
  const cause = outcome.cause ?? (hasRun || exitCode === null ? undefined : NEVER_RAN);
  const causes = [endInWords(unit), cause].filter((text) => text !== null && text !== undefined);
  const shown = [upgrade, lastTry(report.update), report.journal].find((text) => text.trim());
  const output = shown === undefined ? '' : `\n${tail(shown.trimEnd(), TAIL_CHARS)}`;
  return failed(`Failed to run ${programOf(family, report)}: ${causes.join(': ')}${output}`);
}

function exitCodeOf(unit: UnitEnd): number | null {
  if (unit?.result === 'success') return 0;
  return unit?.result === 'exit-code' ? unit.exitStatus : null;
}

/** What was at work when it ended. */
function programOf({ program }: Family, { update, upgrade, exitStatus }: Report): string {
  return `${update}${upgrade}${exitStatus}` === '' ? REPORT.script : program;
}

function statusOf(family: Family, { notes }: Outcome, report: Report, bootMs: number): HostStatus {
  const answer = family.answer(report);
  const sinceNs = answer.required ? since(report) : null;
  const upgrade = tail(lastTry(report.upgrade), TAIL_CHARS);
  const changes = packageChanges(report.before, report.after);
  const isChanged = changes && Object.values(changes).some((names) => names.length > 0);
  // Where nothing is upgraded others do that, and only the time of a request tells a new one.
  const known = family.upgrades || sinceNs !== null;
  const changed = known ? (isChanged ?? (family.upgrades ? undefined : false)) : undefined;
  const lines = [upgrade.trimEnd(), ...changeLines(changes), ...notes];
  return {
    rebootRequired: answer.required,
    detail: conditionDetail(sinceNs, answer.message, upgrade),
    rebootMessage: answer.message,
    output: lines.filter((text) => text !== '').join('\n'),
    bootMs,
    ...(answer.unknown === undefined ? {} : { rebootUnknown: answer.unknown }),
    ...(changed === undefined ? {} : { changed }),
    ...(sinceNs === null ? {} : { sinceMs: Number(sinceNs / 1_000_000n) }),
  };
}

function since({ since: seconds, sentinel }: Report): bigint | null {
  if (sentinel !== null) return sentinel.sinceNs;
  return /^\d+$/.test(seconds) ? BigInt(seconds) * 1_000_000_000n : null;
}
