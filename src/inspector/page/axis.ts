import { countWhile } from './halving.ts';
import { type Course, lengthOf, overlapMs, type Span } from './quiet.ts';

/** A part of the axis, in px; a break stands for more time than its width. */
export interface Piece extends Span {
  x: number;
  width: number;
  isBreak: boolean;
}

/**
 * Time over a width: to one scale, but for the breaks. Its pieces are all the time there is, laid
 * out so that what is shown is from 0 to `widthPx`.
 */
export interface Axis extends Span {
  widthPx: number;
  msPerPx: number;
  pieces: readonly Piece[];
}

const BREAK_PX = 46;
/** Of the width, for all breaks together. */
const BREAKS_SHARE = 0.5;
const SHOWN_MIN_MS = 20;

export function axisOf(shown: Span, course: Course, widthPx: number): Axis {
  const { fromMs } = shown;
  const toMs = Math.max(shown.toMs, fromMs + 1);
  const parts = course.gaps.map((gap) => overlapMs(gap, { fromMs, toMs }));
  const breaks = parts.reduce(
    (count, ms, index) => count + ms / lengthOf(course.gaps[index] as Span),
    0,
  );
  const busyMs = toMs - fromMs - parts.reduce((sum, ms) => sum + ms, 0);
  // Within a gap there is nothing else: it is shown to scale.
  const gaps = busyMs <= 0 ? [] : course.gaps;
  const breakPx = breaks === 0 ? 0 : Math.min(BREAK_PX, (BREAKS_SHARE * widthPx) / breaks);
  const breaksPx = gaps.length === 0 ? 0 : breaks * breakPx;
  const shownMs = gaps.length === 0 ? toMs - fromMs : busyMs;
  const msPerPx = shownMs / Math.max(1, widthPx - breaksPx);
  const pieces = piecesOf({ ...course, gaps }, msPerPx, breakPx || BREAK_PX);
  const axis = { fromMs, toMs, widthPx, msPerPx, pieces };
  const left = xOf(fromMs, axis);
  return { ...axis, pieces: pieces.map((piece) => ({ ...piece, x: piece.x - left })) };
}

function piecesOf({ fromMs, toMs, gaps }: Course, msPerPx: number, breakPx: number): Piece[] {
  const pieces: Piece[] = [];
  let [x, atMs] = [0, fromMs];
  const add = (untilMs: number, width: number, isBreak: boolean) => {
    pieces.push({ fromMs: atMs, toMs: untilMs, x, width, isBreak });
    x += width;
    atMs = untilMs;
  };
  for (const gap of gaps) {
    add(gap.fromMs, (gap.fromMs - atMs) / msPerPx, false);
    add(gap.toMs, breakPx, true);
  }
  add(Math.max(toMs, atMs), (Math.max(toMs, atMs) - atMs) / msPerPx, false);
  return pieces;
}

/** Outside of what is shown: below 0 or above `widthPx`. */
export function xOf(atMs: number, { pieces, msPerPx }: Axis): number {
  const piece = pieceAt(pieces, (one) => one.fromMs <= atMs);
  const { fromMs, toMs, x, width, isBreak } = piece;
  const perPx = isBreak ? (toMs - fromMs) / width : msPerPx;
  return x + (atMs - fromMs) / perPx;
}

/** The time at an x, ms since the epoch. */
export function timeAt(at: number, { pieces, msPerPx }: Axis): number {
  const { fromMs, toMs, x, width, isBreak } = pieceAt(pieces, (one) => one.x <= at);
  return fromMs + (at - x) * (isBreak ? (toMs - fromMs) / width : msPerPx);
}

/** The last piece that has begun; the first where none has. */
function pieceAt(pieces: readonly Piece[], hasBegun: (piece: Piece) => boolean): Piece {
  return pieces[Math.max(1, countWhile(pieces, hasBegun)) - 1] as Piece;
}

/** The pieces in sight, cut at the ends of the axis. */
export function piecesInSight({ pieces, widthPx }: Axis): Piece[] {
  return pieces.flatMap((piece) => {
    const left = Math.max(0, piece.x);
    const right = Math.min(widthPx, piece.x + piece.width);
    return right < left || (right === left && piece.width > 0)
      ? []
      : [{ ...piece, x: left, width: right - left }];
  });
}

/** What is shown after zooming by `factor` around an x. */
export function zoomedSpan(axis: Axis, factor: number, x: number): Span {
  const whole = endsOf(axis);
  const left = Math.max(whole.left, x - x / factor);
  const right = Math.min(whole.right, x + (axis.widthPx - x) / factor);
  const span = { fromMs: timeAt(left, axis), toMs: timeAt(right, axis) };
  return lengthOf(span) < SHOWN_MIN_MS && factor > 1 ? axis : span;
}

/** What is shown when all moves by so many px; not beyond the ends. */
export function pannedSpan(axis: Axis, byPx: number): Span {
  const { left, right } = endsOf(axis);
  const by = Math.max(Math.min(left, 0), Math.min(byPx, Math.max(0, right - axis.widthPx)));
  return { fromMs: timeAt(by, axis), toMs: timeAt(by + axis.widthPx, axis) };
}

function endsOf({ pieces }: Axis): { left: number; right: number } {
  const [first, last] = [pieces[0] as Piece, pieces.at(-1) as Piece];
  return { left: first.x, right: last.x + last.width };
}
