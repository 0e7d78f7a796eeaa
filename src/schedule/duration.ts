const UNIT_NS = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['\u00b5s', 1e3], // micro sign
  ['\u03bcs', 1e3], // Greek mu
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 60e9],
  ['h', 3600e9],
]);
const TERM = /(\d*)(?:\.(\d*))?([^\d.]*)/y;
/** Go keeps a duration in 64 bits: about 292 years. */
const MAX_MS = 2 ** 63 / 1e6;

/**
 * Reads a Go duration (`90s`, `1h30m`, `1.5h`, `300ms`, `0`) as ms; what is below a ms is its
 * fraction. Throws a one-line Error.
 */
export function parseDuration(text: string): number {
  const unsigned = text.replace(/^[+-]/, '');
  if (unsigned === '0') return 0;
  let ms = 0;
  TERM.lastIndex = 0;
  do {
    const match = TERM.exec(unsigned);
    const [, whole = '', fraction = '', unit = ''] = match ?? [];
    if (whole === '' && fraction === '') throw refusal(text, 'it is not a number with a unit');
    const unitNs = UNIT_NS.get(unit);
    if (unitNs === undefined) {
      throw refusal(
        text,
        unit === '' ? 'a unit is missing' : `there is no unit ${JSON.stringify(unit)}`,
      );
    }
    // Whole and fraction apart, as Go does: 1.1s must not become 1.1000000000000001s.
    const fractionNs = Math.trunc(Number(fraction) * (unitNs / 10 ** fraction.length));
    ms += Number(whole) * (unitNs / 1e6) + fractionNs / 1e6;
  } while (TERM.lastIndex < unsigned.length);
  if (ms >= MAX_MS) throw refusal(text, 'it is longer than 292 years');
  return text.startsWith('-') ? 0 - ms : ms;
}

function refusal(text: string, why: string): Error {
  const example = 'write for example 90s, 15m or 1h30m';
  return new Error(`${JSON.stringify(text)} is not a duration: ${why}; ${example}`);
}

/** As Go prints a duration: `1h0m0s`, `9.5s`, `1.234ms`, `0s`. Digits below the ns are rounded. */
export function formatDuration(ms: number): string {
  const wholeMs = Math.trunc(ms);
  const signedNs = BigInt(wholeMs) * 1_000_000n + BigInt(Math.round((ms - wholeMs) * 1e6));
  if (signedNs === 0n) return '0s';
  const sign = signedNs < 0n ? '-' : '';
  const ns = signedNs < 0n ? -signedNs : signedNs;
  if (ns < 1_000n) return `${sign}${ns}ns`;
  if (ns < 1_000_000n) return `${sign}${decimal(ns, 3)}\u00b5s`;
  if (ns < 1_000_000_000n) return `${sign}${decimal(ns, 6)}ms`;
  const minutes = ns / 60_000_000_000n;
  const seconds = `${decimal(ns % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return `${sign}${seconds}`;
  if (minutes < 60n) return `${sign}${minutes}m${seconds}`;
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** `value` / 10^digits without trailing zeros. */
function decimal(value: bigint, digits: number): string {
  const text = String(value).padStart(digits + 1, '0');
  const fraction = text.slice(-digits).replace(/0+$/, '');
  return fraction === '' ? text.slice(0, -digits) : `${text.slice(0, -digits)}.${fraction}`;
}
