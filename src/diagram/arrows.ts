import type { Box } from './layout.ts';

/** A curve between two boxes, as an SVG path: out of the nearest side of one, into the other's. */
export function arrowPath(from: Box, to: Box): string {
  if (isInside(from, to) || isInside(to, from)) return toAncestor(from, to);
  const [one, other] = [middle(from), middle(to)];
  const isBeside = from.x + from.width < to.x || to.x + to.width < from.x;
  if (isBeside) {
    const isForward = one.x < other.x;
    const gapPx = isForward ? to.x - from.x - from.width : from.x - to.x - to.width;
    if (one.y === other.y && gapPx > NEXT_PX) return overTheRow(from, to);
    const start = { x: isForward ? from.x + from.width : from.x, y: one.y };
    const end = { x: isForward ? to.x : to.x + to.width, y: other.y };
    const bend = Math.max(14, Math.abs(end.x - start.x) / 2) * (isForward ? 1 : -1);
    return curve(start, { x: start.x + bend, y: start.y }, { x: end.x - bend, y: end.y }, end);
  }
  const isDown = one.y < other.y;
  const start = { x: one.x, y: isDown ? from.y + from.height : from.y };
  const end = { x: other.x, y: isDown ? to.y : to.y + to.height };
  const bend = Math.max(10, Math.abs(end.y - start.y) / 2) * (isDown ? 1 : -1);
  return curve(start, { x: start.x, y: start.y + bend }, { x: end.x, y: end.y - bend }, end);
}

/** What is further away in the same row has others in between. */
const NEXT_PX = 100;

function overTheRow(from: Box, to: Box): string {
  const [start, end] = [
    { x: middle(from).x, y: from.y },
    { x: middle(to).x, y: to.y },
  ];
  const risePx = Math.abs(end.x - start.x) / 6;
  const up = ({ x, y }: Point) => ({ x, y: y - risePx });
  return curve(start, up(start), up(end), end);
}

interface Point {
  x: number;
  y: number;
}

function middle({ x, y, width, height }: Box): Point {
  return { x: x + width / 2, y: y + height / 2 };
}

function isInside(inner: Box, outer: Box): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

/** Between a state and one around it: along the inner one's upper side, to the outer one's. */
function toAncestor(from: Box, to: Box): string {
  const inner = isInside(from, to) ? from : to;
  const outer = inner === from ? to : from;
  const low = { x: inner.x + inner.width / 2, y: inner.y };
  const high = { x: low.x, y: outer.y };
  const [start, end] = inner === from ? [low, high] : [high, low];
  return curve(start, { x: start.x + 6, y: (start.y + end.y) / 2 }, end, end);
}

function curve(...[start, one, other, end]: [Point, Point, Point, Point]): string {
  return `M${at(start)}C${at(one)} ${at(other)} ${at(end)}`;
}

function at({ x, y }: Point): string {
  return `${round(x)} ${round(y)}`;
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
