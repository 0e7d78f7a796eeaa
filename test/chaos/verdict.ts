import type { Sample } from './sample.ts';

/** The start of a process, when its heap still grows to its size. */
const WARM_UP_SHARE = 0.25;
/** Growth that would show in a pod's limit within days: MB an hour. */
const MEMORY_MAX_MB = 3;
/** Between the first and the last third, in descriptors. */
const FILES_MAX = 1;

export interface Verdict {
  isFlat: boolean;
  text: string;
}

/** Whether memory, descriptors and sockets are flat once the process has warmed up. */
export function verdictOf(samples: readonly Sample[]): Verdict {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
  const first = warm[0];
  const last = warm.at(-1);
  if (!first || !last || warm.length < 3) return { isFlat: false, text: 'too few samples' };
  const hours = (ms: number) => ms / 3_600_000;
  const growthMb = slopeOf(warm.map(({ atMs, residentMb }) => [hours(atMs), residentMb]));
  const growthOf = (of: (sample: Sample) => number) => {
    const third = Math.ceil(warm.length / 3);
    return median(warm.slice(-third).map(of)) - median(warm.slice(0, third).map(of));
  };
  const files = growthOf((sample) => sample.files);
  const sockets = growthOf((sample) => sample.sockets);
  const cpuShare = (last.cpuS - first.cpuS) / ((last.atMs - first.atMs) / 1_000);
  const isFlat = growthMb <= MEMORY_MAX_MB && files <= FILES_MAX && sockets <= FILES_MAX;
  const text = [
    `memory: ${median(warm.map((one) => one.residentMb)).toFixed(1)} MB, ${signed(growthMb.toFixed(2))} MB an hour`,
    `files: ${last.files}, ${signed(String(files))}; sockets: ${last.sockets}, ${signed(String(sockets))}`,
    `CPU: ${(cpuShare * 100).toFixed(2)} % of a core`,
    isFlat ? 'flat' : 'NOT flat',
  ].join('; ');
  return { isFlat, text };
}

/**
 * The median of the slopes of all pairs (Theil and Sen): the collector's jags and single outliers do
 * not move it.
 */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const slopes = points.flatMap(([x, y], index) =>
    points.slice(index + 1).map(([otherX, otherY]) => (otherY - y) / (otherX - x)),
  );
  return median(slopes);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

function signed(text: string): string {
  return text.startsWith('-') ? text : `+${text}`;
}
