import type { HostStatus } from '../../machines/events.ts';
import { readAptLog, summaryLines } from './apt-log.ts';
import type { Outputs } from './debian-outputs.ts';
import { lastTry, TAIL_CHARS, uniqueLines } from './printed.ts';
import { conditionDetail } from './status.ts';
import { plainText, tail } from './text.ts';

/** What the outputs say of the host; for people, also what was upgraded and what was not, and why. */
export function statusOf(outputs: Outputs, bootMs: number): HostStatus {
  const { reboot } = outputs;
  const upgrade = tail(lastTry(outputs.upgrade), TAIL_CHARS);
  const since = reboot?.sinceNs ?? null;
  // Any of the two may lack lines: one shows what it had the time to, the other only dpkg's.
  const log = readAptLog(`${lastTry(outputs.upgrade)}\n${plainText(outputs.dpkg)}`);
  const notes = [...summaryLines(log), ...kernelNote(outputs)];
  return {
    rebootRequired: reboot !== null,
    changed: log.upgraded.length + log.removed.length > 0,
    detail: conditionDetail(since, plainText(reboot?.text ?? ''), upgrade),
    rebootMessage: reboot === null ? '' : rebootText(reboot.text, outputs.rebootPackages),
    output: [upgrade.trimEnd(), ...notes].filter((text) => text !== '').join('\n'),
    bootMs,
    ...(since === null ? {} : { sinceMs: Number(since / 1_000_000n) }),
  };
}

function rebootText(text: string, packages: string): string {
  const names = uniqueLines(packages);
  const list = names.length === 0 ? '' : ` (${names.join(', ')})`;
  return `${plainText(text).trim()}${list}`;
}

/** On plain Debian nothing asks for a reboot, also where a newer kernel waits for one. */
function kernelNote({ reboot, kernels }: Outputs): string[] {
  const [running = '', newest = ''] = kernels.split('\n');
  if (reboot !== null || newest === '' || running === newest) return [];
  return [`Kernel ${newest} is installed and ${running} is running: a reboot may be due`];
}
