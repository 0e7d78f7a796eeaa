import type { HostStatus } from '../../machines/events.ts';

/** The status of an upgrade that did not get as far as to have one. */
export function noStatus(bootMs: number): HostStatus {
  return { rebootRequired: false, detail: conditionDetail(null, '', ''), bootMs };
}

/** As the original's condition line shows its status: since, message and output, as they are. */
export function conditionDetail(sinceNs: bigint | null, message: string, output: string): string {
  return `${goTime(sinceNs)} ${message} ${output}`;
}

/** A time as the original's log writes it; null is Go's zero time. */
function goTime(ns: bigint | null): string {
  if (ns === null) return '0001-01-01 00:00:00 +0000 UTC';
  const fraction = `${ns % 1_000_000_000n}`.padStart(9, '0').replace(/0+$/, '');
  const [date, time = ''] = new Date(Number(ns / 1_000_000n)).toISOString().split('T');
  return `${date} ${time.slice(0, 8)}${fraction === '' ? '' : `.${fraction}`} +0000 UTC`;
}
