import { type Axis, type Piece, piecesInSight, xOf } from './axis.ts';
import { duration, shortDuration, timeOfDay } from './words.ts';

/** A time on the axis, in words. */
export interface Tick {
  x: number;
  text: string;
}

/** Of the type of the labels. */
const CHAR_PX = 6.3;
const BETWEEN_PX = 10;
/** Of a break's width, for its torn edges. */
const TEARS_PX = 9;
const TICK_MIN_PX = 90;
const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000,
  300_000, 600_000, 1_200_000, 1_800_000, 3_600_000, 7_200_000, 10_800_000, 21_600_000, 43_200_000,
  86_400_000, 172_800_000, 604_800_000, 1_209_600_000, 2_592_000_000, 7_776_000_000, 31_536_000_000,
  315_360_000_000,
];

/** Round times along the axis, and when it goes on behind each break, where there is room. */
export function ticksOf(axis: Axis): Tick[] {
  const stretches = piecesInSight(axis).filter(({ isBreak }) => !isBreak);
  const hasDays = axis.toMs - axis.fromMs > 86_400_000;
  const ticks: Tick[] = [];
  let freeX = 0;
  for (const [index, stretch] of stretches.entries()) {
    const nextX = stretches[index + 1]?.x ?? axis.widthPx;
    if (index > 0 || stretch.fromMs >= axis.fromMs) {
      const words = labels(stretch.fromMs, hasDays, 1_000);
      const fitting = words.find((text) => stretch.x + widthOf(text) <= nextX);
      const begin = fitting ?? (words.at(-1) as string);
      if (stretch.x >= freeX && stretch.x + widthOf(begin) <= axis.widthPx) {
        ticks.push({ x: stretch.x, text: begin });
        freeX = stretch.x + widthOf(begin) + BETWEEN_PX;
      }
    }
    for (const tick of roundTicks(stretch, axis, hasDays)) {
      const endX = tick.x + widthOf(tick.text);
      if (tick.x < freeX || endX > Math.min(nextX, axis.widthPx)) continue;
      ticks.push(tick);
      freeX = endX + BETWEEN_PX;
    }
  }
  return ticks;
}

function roundTicks(stretch: Piece, axis: Axis, hasDays: boolean): Tick[] {
  const stepMs = STEPS_MS.find((step) => step >= axis.msPerPx * TICK_MIN_PX);
  if (stepMs === undefined) return [];
  const fromMs = Math.max(stretch.fromMs, axis.fromMs);
  const toMs = Math.min(stretch.toMs, axis.toMs);
  const ticks: Tick[] = [];
  for (let atMs = Math.ceil(fromMs / stepMs) * stepMs; atMs <= toMs; atMs += stepMs) {
    const [text = ''] = labels(atMs, hasDays && stepMs >= 21_600_000, stepMs);
    ticks.push({ x: xOf(atMs, axis), text });
  }
  return ticks;
}

/** The longest first; times are cut, never rounded up. */
function labels(atMs: number, hasDays: boolean, stepMs: number): string[] {
  const time = timeOfDay(atMs);
  const day = new Date(atMs).toISOString().slice(5, 10);
  const long = stepMs < 1_000 ? time : stepMs < 60_000 ? time.slice(0, 8) : time.slice(0, 5);
  return hasDays ? [`${day} ${time.slice(0, 5)}`, day] : [long];
}

function widthOf(text: string): number {
  return text.length * CHAR_PX;
}

/** How long a break is, as exactly as its width has room for; '' where it has none. */
export function breakLabel({ fromMs, toMs, width }: Piece): string {
  const ms = toMs - fromMs;
  return (
    [duration(ms), shortDuration(ms), coarse(ms)].find((one) => widthOf(one) <= width - TEARS_PX) ??
    ''
  );
}

const UNITS: [number, string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
];

/** `~14h`, `~1.5d`: in one unit. */
function coarse(ms: number): string {
  const [unitMs, unit] = UNITS.find(([one]) => ms >= 0.95 * one) ?? [1_000, 's'];
  const units = ms / unitMs;
  return `~${units < 10 ? Number(units.toFixed(1)) : Math.round(units)}${unit}`;
}
