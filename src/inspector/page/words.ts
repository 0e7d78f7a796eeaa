/** `00:43:27.379`, UTC. */
export function timeOfDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23);
}

/** `2026-12-03`, UTC. */
export function dateOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

/** `14 ms`, `3.2 s`, `3 min 12 s`, `4 h 5 min`, `2 d 3 h`. */
export function duration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1_000) return `${whole} ms`;
  if (whole < 60_000) return `${(whole / 1_000).toFixed(1)} s`;
  const s = Math.round(whole / 1_000);
  if (s < 3_600) return two(s, 60, 'min', 's');
  const min = Math.round(s / 60);
  return min < 1_440 ? two(min, 60, 'h', 'min') : two(Math.round(min / 60), 24, 'd', 'h');
}

function two(value: number, per: number, unit: string, rest: string): string {
  const left = value % per;
  return `${Math.floor(value / per)} ${unit}${left === 0 ? '' : ` ${left} ${rest}`}`;
}

/** `in 3.2 s` or `3.2 s ago`. */
export function distance(ms: number): string {
  return ms >= 0 ? `in ${duration(ms)}` : `${duration(-ms)} ago`;
}

export function plural(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}

/** As `duration`, for narrow places: `14ms`, `3.2s`, `3m12s`, `4h05m`, `2d03h`. */
export function shortDuration(ms: number): string {
  return duration(ms)
    .replace(/ min ?/, 'm')
    .replaceAll(' ', '')
    .replace(/(?<=[mhd])(\d)(?=[a-z])/, '0$1');
}
